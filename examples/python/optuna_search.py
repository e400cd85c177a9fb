# SPDX-License-Identifier: Apache-2.0
"""Optuna searches for fast and small machines: what it proposes is planned and timed at once."""
import sys

try:
    import optuna
    import okksim
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

network, base = okksim.zoo("mobilenet_v2", size=96), okksim.machine("bm1684")


def time_and_area(trial):
    machine = base.with_({"chip.lanes": trial.suggest_categorical("lanes", [16, 32, 64]),
                          "bdc.clock_mhz": trial.suggest_int("clock", 400, 1000, step=50)})
    return network.plan(machine).time().us, machine.area_mm2


study = optuna.create_study(directions=["minimize", "minimize"])
study.optimize(time_and_area, n_trials=30)
for best in study.best_trials:
    print(best.params, best.values)
