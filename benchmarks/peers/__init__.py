"""Our backend and other runtimes on the same workloads, weights and inputs, on the CPU.

A preparation process writes a folder for each workload. Then each peer starts in a process of its
own, is loaded and compiled alone on the machine, compared with PyTorch's eager result, and stopped.
A round gives each in turn the machine for a while: continued, warmed up, timed, stopped. Figures
are medians over the rounds of the medians within them, ratios medians of the ratios of rounds.
Processor time that anything else takes during a turn is taken note of: a turn that was disturbed
is thrown away and repeated, and what stays disturbed after all repetitions is marked.
"""
