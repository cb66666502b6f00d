import { Argument, type Command } from 'commander';
import { EXIT } from '../exit.ts';
import { runAction } from '../run-action.ts';
import type { Shell } from './completion-script.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector completion bash >> ~/.bashrc
  npx loyalty-connector completion zsh >> ~/.zshrc      below the line with compinit
  npx loyalty-connector completion fish > ~/.config/fish/conf.d/loyalty-connector.fish

It completes "loyalty-connector" and "npx loyalty-connector". Write it again after an update.
`;

/** `loyalty-connector completion` */
export function registerCompletion(program: Command): void {
  const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];
  program
    .command('completion')
    .summary('print a script that lets the shell complete commands and options')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addHelpText('after', EXAMPLES)
    .action(
      runAction(async ({ terminal }, _options, shell) => {
        const { completionScript } = await import('./completion-script.ts');
        terminal.line(completionScript(program, shell as Shell));
        return EXIT.fine;
      }),
    );
}
