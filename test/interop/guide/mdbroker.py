#!/usr/bin/python3
"""The broker of Majordomo."""

from guide_program import log, run
from stand_in_broker import StandInBroker


def main(context):
    broker = StandInBroker(context, "0.1", at="tcp://*:5555")
    log("I: MDP broker/0.2.0 is active at tcp://*:5555")
    broker.join()


run(main)
