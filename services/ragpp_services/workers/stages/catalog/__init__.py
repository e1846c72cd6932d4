"""What is slow about the catalog: taking items from resources, writing pages, making vectors anew."""
