"""The static site: results and data in, pages out.

Reading order: ``views`` (what a page may know), ``read`` (files to views), ``judging`` and
``ranking`` (who judged a number, and what may order rows), ``example`` and ``table`` (views to what
templates show), ``pages`` and ``judge_page`` (every page), ``build`` (files out). ``cards`` reads
the cards of judges; ``geometry``, ``layout``, ``routing``, ``diff``, ``svg`` and ``reliability``
draw; ``shell`` puts pages together.
"""
