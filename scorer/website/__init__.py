"""The static site: results and data in, pages out.

Reading order: ``views`` (what a page may know), ``reading`` (files to views), ``kind`` (in what
graphs and narratives differ), ``boards`` and ``judges`` (views to what templates show),
``examples`` (a page for every example), ``pages`` (every other one), ``build`` (files out).

``graphs`` and ``narratives`` are the kinds of examples, listed in ``kinds``. ``browsing`` is what
scripts know, ``exports`` what readers take along, and ``data`` lists the files of both.
``layouts`` are the themes, ``site_folder`` writes. ``arithmetic`` and
``worked`` explain metrics by examples.
"""
