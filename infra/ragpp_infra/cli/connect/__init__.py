"""`ragpp connect`: the memory put into an editor's or an assistant's settings, and tried."""
