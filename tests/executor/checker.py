"""What a log of one batch must look like, whatever its tools and plugins do.

Nothing here knows how the executor works. A log is a list of entries in the order in
which they happened:

    events       ("start", call) ("update", call, n) ("returned", call) ("end", call)
    hooks        ("hook", call, name, arguments) ("unhook", call, name)
    middlewares  ("layer", call) ("unlayer", call)
    bodies       ("body", call, arguments) ("unbody", call)

where `call` is the call's place in the batch. Entries of nested calls are not in it.
"""

EVENTS = ("start", "update", "returned", "end")
HOOKS = ("hook", "unhook")
WORK = ("layer", "unlayer", "body", "unbody")


def places(log, *kinds, call=None):
    """The positions in the log of some kinds of entries, of one call or of all."""
    return [
        at
        for at, entry in enumerate(log)
        if entry[0] in kinds and (call is None or entry[1] == call)
    ]


def check(log, count, *, sequential=False, whole=True):
    """Check a batch of so many calls.

    Args:
        log: What happened.
        count: How many calls the batch had.
        sequential: Whether each call ended before the next one started.
        whole: Whether the batch ran to its end; False if it was cancelled or aborted.
    """
    check_starts_and_ends(log, count, whole=whole)
    check_hooks_never_overlap(log)
    check_updates(log)
    check_what_ran_was_guarded(log)
    if not whole:
        return
    check_bodies_are_inside_their_chains(log)
    if sequential:
        check_calls_follow_each_other(log)
    else:
        check_phases(log)


def check_starts_and_ends(log, count, *, whole):
    """B6: one start and one end a call, in call order, around all that it does."""
    started = [log[at][1] for at in places(log, "start")]
    ended = [log[at][1] for at in places(log, "end")]
    assert started == sorted(set(started)), "starts are once each and in call order"
    assert ended == started, "whoever started ended, once, in call order"
    if whole:
        assert started == list(range(count)), "every call has its start"
    for call in started:
        (start,), (end,) = (places(log, kind, call=call) for kind in ("start", "end"))
        own = places(log, *HOOKS, "update", "returned", *WORK, call=call)
        if whole:
            assert all(start < at < end for at in own), "all is between start and end"
        assert len(places(log, "returned", call=call)) <= 1


def check_hooks_never_overlap(log):
    """B4: between a hook's begin and its end no other hook or observer is called."""
    working = None
    for entry in log:
        if entry[0] == "hook":
            assert working is None, f"{entry} begins while {working} is at work"
            working = entry[1:3]
        elif entry[0] == "unhook":
            assert working == entry[1:3], f"{entry} ends, but {working} was at work"
            working = None
        elif entry[0] in EVENTS:
            assert working is None, f"{entry} is told while {working} is at work"


def check_updates(log):
    """B5: the updates of a call come in the order sent, while its body runs."""
    for call in {log[at][1] for at in places(log, "update")}:
        told = places(log, "update", call=call)
        numbers = [log[at][2] for at in told]
        assert numbers == sorted(set(numbers)), "updates come once, in order"
        first = places(log, "body", call=call)[0]
        last = places(log, "returned", "end", call=call)[0]
        assert all(first < at < last for at in told), "updates come while a body runs"


def check_what_ran_was_guarded(log):
    """H6: a body runs with the arguments that the last guard of its call was shown."""
    for at in places(log, "body"):
        _, call, arguments = log[at]
        shown = [
            entry[3]
            for entry in log[:at]
            if entry[0] == "hook" and entry[1] == call and entry[2] == "before"
        ]
        assert shown, f"call {call} ran unguarded"
        assert shown[-1] == arguments, f"call {call} ran with other arguments"


def check_bodies_are_inside_their_chains(log):
    """B6: a call that never entered its chain has no body; chains are left in order."""
    for call in {entry[1] for entry in log}:
        depth = 0
        for at in places(log, *WORK, call=call):
            kind = log[at][0]
            depth += {"layer": 1, "unlayer": -1}.get(kind, 0)
            assert depth >= 0
            if kind == "body":
                assert depth > 0, "a body runs inside its middlewares"


def check_calls_follow_each_other(log):
    """B3: in a sequential batch all of a call comes before all of the next."""
    order = [entry[1] for entry in log]
    assert order == sorted(order)


def check_phases(log):
    """B3: all are admitted, then all run, then all are finished, in call order."""
    ends = places(log, "end")
    work = places(log, *WORK, "update", "returned")
    starts = places(log, "start")
    afters = [at for at in places(log, "hook") if log[at][2] == "after"]
    if work:
        assert max(starts) < min(work), "all are taken up before any runs"
        assert max(work) < min(ends + afters), "all have run before any is finished"
    admitted = [
        log[at][1]
        for at in places(log, "hook")
        if log[at][2] in ("prepare", "before") and (not work or at < min(work))
    ]
    assert admitted == sorted(admitted), "calls are admitted in call order"
    finished = [log[at][1] for at in sorted(ends + afters)]
    assert finished == sorted(finished), "calls are finished in call order"


def outline(log):
    """What is the same for the same batch: hooks but second checks, starts, ends."""
    work = places(log, *WORK)
    return [
        entry[:3]
        for at, entry in enumerate(log)
        if entry[0] in ("start", "end")
        or (entry[0] == "hook" and not (entry[2] == "before" and work and at > work[0]))
    ]
