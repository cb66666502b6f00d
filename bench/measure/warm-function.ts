import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Lab } from '../lab.ts';
import { type Part, VARIANTS, type Variant } from '../variants/build-variants.ts';

interface RoundMeasure {
  readonly cpuMs: number;
  readonly wallMs: number;
}

interface WarmFunction {
  /** Handles these events one after the other. */
  round(events: readonly unknown[]): Promise<RoundMeasure>;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('./warm-process.mjs', import.meta.url));

/** A process that has loaded the bundle and keeps running. */
async function startWarm(
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

export interface WarmVariants {
  round(variant: Variant, events: readonly unknown[]): Promise<RoundMeasure>;
  stop(): Promise<void>;
}

/** A process for every variant (or for these); all keep running while each is measured. */
export async function startWarmVariants(
  { bundles, environment }: Pick<Lab, 'bundles' | 'environment'>,
  part: Part,
  variants: readonly Variant[] = VARIANTS,
): Promise<WarmVariants> {
  const started = new Map<Variant, WarmFunction>();
  for (const variant of variants) {
    started.set(variant, await startWarm(bundles.fileOf(variant, part), environment));
  }
  return {
    round(variant, events) {
      const warm = started.get(variant);
      if (!warm) throw new Error(`no process of ${variant}`);
      return warm.round(events);
    },
    async stop() {
      for (const warm of started.values()) await warm.stop();
    },
  };
}
