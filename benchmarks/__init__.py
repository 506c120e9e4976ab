"""What ramisim costs: times, rates, memory, and the peers beside it, on one machine in one run.

``ramisim bench`` (``make bench`` from a checkout). Every benchmark checks what it computed before
it says how long that took; no time is ever asserted.
"""
