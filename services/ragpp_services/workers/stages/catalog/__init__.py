"""The slow work of the catalog: taking items from resources, writing pages, making vectors anew."""
