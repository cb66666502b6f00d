import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface RoundMeasure {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly rssBytes: number;
}

export interface WarmFunction {
  /** Handles these events one after the other. */
  round(events: readonly unknown[]): Promise<RoundMeasure>;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('./warm-process.mjs', import.meta.url));

/** A process that has loaded the bundle and stays. */
export async function startWarm(
  bundle: string,
  env: Readonly<Record<string, string>>,
): Promise<WarmFunction> {
  const child = fork(SCRIPT, [bundle], {
    env,
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`${bundle} ended with ${code}`)));
  });
  ended.catch(() => {});
  const message = () => Promise.race([once(child, 'message'), ended]);
  await message();
  return {
    async round(events) {
      const answer = message();
      child.send(events as never);
      const [measure] = await answer;
      return measure as RoundMeasure;
    },
    async stop() {
      if (!child.connected) return;
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}
