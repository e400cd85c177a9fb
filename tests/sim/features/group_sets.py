# SPDX-License-Identifier: Apache-2.0
"""Sets of ISA extensions that machines may have, for tests.

The program prints a line of options of okksim per set: all extensions but one, one alone, every two on and off.
"""
import itertools, random, sys

NEEDS = {"fused_rescale": ["int8_mac", "requantise"], "int16_mac": ["int8_mac"]}
GROUPS = ["int8_mac", "requantise", "fused_rescale", "int_alu", "lookup", "convert", "dma_layout", "dma_index",
          "half_mac", "int16_mac"]

def closed_below(groups):
    """With the groups that these need."""
    return set(groups) | {need for group in groups for need in NEEDS.get(group, [])}

def without(left_out):
    """All but these and those that need them."""
    return {g for g in GROUPS if g not in left_out and not set(NEEDS.get(g, [])) & set(left_out)}

def unique(sets):
    seen = []
    for groups in sets:
        if groups not in seen:
            seen.append(groups)
    return seen

def alone_and_left_out():
    """All, none, all but one with those that need it, one with those that it needs."""
    return unique([set(GROUPS), set()] + [without({group}) for group in GROUPS] +
                  [closed_below({group}) for group in GROUPS])

def states(groups):
    """Every two groups, and which of them are there."""
    return {(a, a in groups, b, b in groups) for a, b in itertools.combinations(GROUPS, 2)}

def pairwise():
    """Sets in which every two groups are there and not there in every way that machines can have."""
    chance = random.Random(1)
    valid = [set(g for g, there in zip(GROUPS, row) if there) for row in itertools.product([0, 1], repeat=len(GROUPS))]
    valid = [groups for groups in valid if closed_below(groups) == groups]
    left = set().union(*(states(groups) for groups in valid))
    cover = []
    while left:
        chance.shuffle(valid)
        best = max(valid, key=lambda groups: len(states(groups) & left))
        cover.append(best)
        left -= states(best)
    return cover

def options(groups):
    return [f"--set=features.{group}={'true' if group in groups else 'false'}" for group in GROUPS]

if __name__ == "__main__":
    for groups in unique(alone_and_left_out() + pairwise()):
        print(" ".join(options(groups)))
