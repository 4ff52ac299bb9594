"""A made-up organisation to look around in: who is in it, what was said, what was learned, and what waits.

Everything is written through the same actions people use, so its audit, history and runs are real. All texts are invented.
"""
