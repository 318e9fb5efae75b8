"""Runs a program on a pseudo-terminal and passes its input and output through pipes."""
import fcntl, os, pty, select, struct, sys, termios

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 100, 0, 0))
sources = [terminal, 0]
while True:
    for source in select.select(sources, [], [])[0]:
        try:
            data = os.read(source, 65536)
        except OSError:
            data = b''
        if data and source == 0:
            os.write(terminal, data)
        elif data:
            os.write(1, data)
        elif source == 0:
            sources.remove(0)
        else:
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
