import { requireFreePorts } from '../../local/stack/start-options.ts';

/** The first of six ports in a row that are free, below those that the system gives to connections. */
export async function freePorts(): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const areFree = await requireFreePorts(first).then(
      () => true,
      () => false,
    );
    if (areFree) return first;
  }
}
