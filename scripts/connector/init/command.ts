import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import { describeInit } from './describe-init.ts';
import type { InitOptions } from './init.ts';

/** `loyalty-connector init` */
export function registerInit(program: Command): void {
  describeInit(program.command('init')).action(
    runAction<InitOptions>(async ({ terminal }, options, folder = '') => {
      const { init } = await import('./init.ts');
      return init(terminal, options, folder);
    }),
  );
}
