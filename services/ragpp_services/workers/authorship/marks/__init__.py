"""The marks by which a message tells what in it is somebody else's."""
