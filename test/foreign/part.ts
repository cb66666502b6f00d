import type { Emulator } from '../../local/stack/emulators.ts';
import { type Judgement, type PlantedFault, runSuites, type Suites } from './run-suites.ts';

/** One engine of others and what it judges. */
export interface Part {
  readonly engine: string;
  /** A bug that the engine must find, in one sentence. */
  readonly bug: string;
  open(): Promise<OpenPart>;
}

interface OpenPart {
  /** `withBug`: with the planted bug; a few of the checks suffice. */
  judge(withBug: boolean): Promise<Judgement>;
  stop(): Promise<void>;
}

interface SuitesPart extends Omit<Suites, 'environment'> {
  readonly engine: string;
  start(): Promise<Emulator>;
  environment(engine: Emulator): Readonly<Record<string, string>>;
  readonly planted: PlantedFault;
}

/** Our own suites on an engine of others; the first file must find the planted bug. */
export function judgeBySuites({ engine, start, planted, ...suites }: SuitesPart): Part {
  return {
    engine,
    bug: planted.bug,
    async open() {
      const started = await start();
      const here = { ...suites, environment: suites.environment(started) };
      return {
        judge: (withBug) =>
          withBug
            ? runSuites({ ...here, files: here.files.slice(0, 1) }, planted)
            : runSuites(here),
        stop: started.stop,
      };
    },
  };
}
