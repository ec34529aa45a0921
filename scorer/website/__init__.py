"""The static site: results and data in, pages out.

Reading order: ``views`` (what a page may know), ``read`` (files to views), ``example`` and
``table`` (views to what templates show), ``pages`` (every page), ``build`` (files out).
``geometry``, ``layout``, ``routing``, ``diff`` and ``svg`` draw graphs; ``shell`` puts pages
together.
"""
