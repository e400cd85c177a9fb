#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A sweep by a Slurm job array on a cluster of this machine alone, with a shard killed half way, has what one
# process has. Skipped (77) where Debian's packages slurm-wlm and munge, or root to start them, are missing.
# usage: slurm_array.sh OKKSIM
set -u
okksim=$1
for program in munged slurmctld slurmd sbatch squeue; do
    PATH=$PATH:/usr/sbin command -v $program > /dev/null || { echo "skipped: no $program (packages slurm-wlm, munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: only root can start Slurm's daemons"; exit 77; }
PATH=$PATH:/usr/sbin
folder=$(mktemp -d)
host=$(hostname -s)
stop() {
    [ -f "$folder/d.pid" ] && kill "$(cat "$folder/d.pid")" 2> /dev/null
    [ -f "$folder/ctld.pid" ] && kill "$(cat "$folder/ctld.pid")" 2> /dev/null
    [ -n "${munge_started:-}" ] && pkill -x munged
    sleep 1
    rm -rf "$folder"
}
trap stop EXIT
mkdir -p /run/munge "$folder/state" "$folder/spool"
chown munge /run/munge
if ! munge -n > /dev/null 2>&1; then
    su -s /bin/sh munge -c "$(command -v munged)" || { echo "skipped: munged does not start"; exit 77; }
    munge_started=1
    sleep 1
fi
cat > "$folder/slurm.conf" <<CONF
ClusterName=okksim
SlurmctldHost=$host
SlurmUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SlurmctldPort=16827
SlurmdPort=16828
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/ctld.pid
SlurmdPidFile=$folder/d.pid
SlurmctldLogFile=$folder/ctld.log
SlurmdLogFile=$folder/d.log
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$folder/slurm.conf
slurmctld -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF" -c
for ((i = 0; i < 30; ++i)); do
    sinfo -h -o %T 2> /dev/null | grep -q idle && break
    sleep 1
done
sinfo -h -o %T 2> /dev/null | grep -q idle || { echo "skipped: Slurm does not come up here"; tail -3 "$folder"/*.log; exit 77; }
cat > "$folder/c.toml" <<'SPEC'
name = "cluster"
[[workload]]
zoo = "mobilenet_v2"
size = 64
width = 0.5
[[axis]]
parameter = "bdc.clock_mhz"
range = { from = 300, to = 900, step = 2 }
[[axis]]
parameter = "dram.read_bytes_per_nanosecond"
values = [8, 16, 32]
[slurm]
partition = "main"
time = "10:00"
shards = 5
SPEC
# One shard is killed once, after its first points out of 180.
(for ((i = 0; i < 1200; ++i)); do
    points=$("$okksim" sweep "$folder/cluster-2-of-5.sqlite" --sql 'select count(*) from points' 2> /dev/null | tail -1)
    if [ "${points:-0}" -gt 0 ]; then
        pkill -9 -f 'shard 2/5' && touch "$folder/killed"
        break
    fi
    sleep 0.1
done) &
"$okksim" sweep "$folder/c.toml" --slurm > "$folder/out.txt" 2> "$folder/err.txt" || { cat "$folder/err.txt" "$folder"/*.log; exit 1; }
cat "$folder/err.txt"
[ -f "$folder/killed" ] || { echo "the shard was over before it could be killed"; exit 1; }
[ "$(grep -c '^job .*: shards' "$folder/err.txt")" -ge 2 ] || { echo "the killed shard was not submitted again"; exit 1; }
"$okksim" sweep "$folder/c.toml" --store "$folder/whole.sqlite" > /dev/null || exit 1
for store in whole cluster; do "$okksim" sweep "$folder/$store.sqlite" --csv > "$folder/$store.csv" || exit 1; done
cmp "$folder/whole.csv" "$folder/cluster.csv" || exit 1
[ "$(wc -l < "$folder/whole.csv")" = 904 ] || { echo "expected 301 x 3 points"; exit 1; }
echo passed
