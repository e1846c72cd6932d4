// A person's verdict ([:STATES {act}] confirmed, rejected, restored) is on a relationship, whatever its ends are called.
MATCH ()-[said:STATES]->() WHERE said.act IN ['confirmed', 'rejected', 'restored'] SET said.source_name = '', said.target_name = '';
