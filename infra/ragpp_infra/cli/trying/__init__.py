"""`ragpp try`: an export in a memory of its own; what was learned is shown, judged and asked, then kept or erased.

What is shown is made by pure functions (`wording`, `things`); who asks and answers is at the terminal (`dialogue`).
"""
