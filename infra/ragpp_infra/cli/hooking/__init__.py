"""`ragpp hook`: what an assistant runs at the turns of its sessions, to be told what is known and to be remembered."""
