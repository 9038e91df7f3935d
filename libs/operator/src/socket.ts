import net from 'node:net';

/** Resolves to whether a process listens on the socket. */
export function isAnswered(file: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(file);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => (isNobody(error) ? resolve(false) : reject(error)));
  });
}

/** A process that was killed leaves its socket behind. */
export const isNobody = ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED' || code === 'ENOENT';
