import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy between the functions and a service, to simulate an outage of the service. */
export interface OutageProxy {
  readonly address: string;
  /** Breaks open connections and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  stop(): Promise<void>;
}

export async function startOutageProxy(to: string): Promise<OutageProxy> {
  const { port: target } = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket)).on('error', () => {});
    }
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen(0);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  let isOpen = true;
  const cut = async () => {
    if (!isOpen) return;
    isOpen = false;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    address: `http://127.0.0.1:${port}`,
    cut,
    async restore() {
      if (isOpen) return;
      await listen(port);
      isOpen = true;
    },
    stop: cut,
  };
}
