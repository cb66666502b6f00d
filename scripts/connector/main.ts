import { type Command, CommanderError } from 'commander';
import { createProgram } from './create-program.ts';
import { EXIT } from './ground/terminal/exit.ts';

// A closed pipe (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.fine);
});

const HELP = /^(-h|--help)$/;

function isUnknown({ commands }: Command, [name = '-', ...rest]: readonly string[]): boolean {
  const child = commands.find((one) => one.name() === name);
  return child ? isUnknown(child, rest) : commands.length > 0 && !name.startsWith('-');
}

try {
  // Alone it shows its help, as "help" and "help COMMAND" do.
  const [first = 'help', ...others] = process.argv.slice(2);
  const words = first === 'help' ? [...others, '--help'] : [first, ...others];
  const program = createProgram();
  // commander would answer the help of an unknown command with that of its group.
  const known = isUnknown(program, words) ? words.filter((one) => !HELP.test(one)) : words;
  await program.parseAsync(known, { from: 'user' });
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // Help and version are thrown too, with 0; commander has already printed every mistake.
  process.exitCode = error.exitCode === 0 ? EXIT.fine : EXIT.badArguments;
}
