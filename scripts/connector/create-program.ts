import { Command } from 'commander';
import { closestTo } from '../../shared/config/closest.ts';
import { VERSION } from '../../shared/config/release.ts';
import { registerDeadLetters } from './dead-letters.ts';
import type { ProgramParts } from './ground/checks/step.ts';
import { COMMAND_KINDS } from './ground/session/command-kinds.ts';
import { pathOf } from './ground/session/run-action.ts';
import { errorJson, printable } from './ground/terminal/text.ts';
import { registerLook } from './look/commands.ts';
import { registerRepair } from './repair/commands.ts';
import { registerPast, registerSetUp } from './set-up/commands.ts';
import type { Examine } from './set-up/setup.ts';
import { registerStore } from './set-up/shopify/command.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector dead-letters list                       the stack that runs on this machine
  npx loyalty-connector dead-letters list --stack loyalty-connector-prod --region eu-west-1
  npx loyalty-connector dead-letters replay --reason rejected --since 2h --yes --wait

Without --stack (or CONNECTOR_STACK in the environment), commands use the connector that "npm start"
runs on this machine. Exit codes: 0 ok, 1 failed or action required, 2 bad arguments, 3 pending,
4 unknown, 130 interrupted.
`;

/** The whole command line. Wrong arguments throw commander's error, whose message is already printed. */
export function createProgram(): Command {
  const program = new Command('loyalty-connector')
    .description('Run, deploy, inspect and repair the connector, on AWS or on this machine.')
    .usage('COMMAND [options]')
    .version(VERSION, '-v, --version', 'the version of the connector')
    .helpOption('-h, --help', 'this text')
    // As commander names them in the help of a command.
    .optionsGroup('Global Options:')
    .option('--json', 'print JSON in the documented format, errors too')
    .option('--stack <name>', 'the deployed stack, such as loyalty-connector-prod')
    .option('--region <region>', 'its AWS region (default: that of the environment or profile)')
    .option('--profile <name>', 'a profile of your AWS configuration')
    .option('--verbose', 'show where an unknown error happened')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXAMPLES);
  const parts: ProgramParts = {
    createProgram,
    loadChecks: async () => (await import('./platform-checks.ts')).checksByPlatform,
  };
  registerSetUp(program.commandsGroup('Set up:'), {
    ...parts,
    loadDoctor: () => loadDoctor(parts),
  });
  registerStore(program);
  registerPast(program);
  registerLook(program.commandsGroup('Look:'), parts);
  registerRepair(program.commandsGroup('Repair:'));
  registerDeadLetters(program);
  forEachCommand(program, prepare);
  return program;
}

/** `setup` ends with it. */
async function loadDoctor({ loadChecks }: ProgramParts): Promise<Examine> {
  const [{ examine }, platforms] = [await import('./look/doctor.ts'), await loadChecks()];
  return (session, options) => examine(session, options, platforms);
}

/** Settings that commander does not pass on to commands added as objects. */
function prepare(command: Command): void {
  // Commander asks for them before it names an unknown option, which may be the misspelt one.
  const needed = command.options.filter(({ mandatory }) => mandatory);
  for (const option of needed) option.mandatory = false;
  command.hook('preAction', () => {
    const missing = needed.find((one) => command.getOptionValue(one.attributeName()) === undefined);
    if (missing) command.error(`required option '${missing.flags}' not specified`);
  });
  command
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      outputError(text, write) {
        const name = pathOf(command) || command.name();
        const [message, help] = [`${name}: ${printable(oneLine(text, command))}`, helpOf(command)];
        if (command.optsWithGlobals().json) {
          process.stdout.write(`${errorJson('bad-arguments', message, help)}\n`);
        }
        write(`${message} Help: ${help}\n`);
      },
    });
}

const helpOf = (command: Command): string =>
  ['npx loyalty-connector', pathOf(command), '--help'].filter(Boolean).join(' ');

const CHOICES = /cannot be "(.*)"\. Allowed choices are (.*)\.$/;
const UNKNOWN = /^unknown command '(.*?)'/;

/** commander prints its suggestion on a second line, has none for a value, and does not say what an argument is. */
function oneLine(text: string, { registeredArguments, options, commands }: Command): string {
  const named = [...registeredArguments, ...options];
  const nameOf = (one: (typeof named)[number]) => ('flags' in one ? one.flags : `<${one.name()}>`);
  const of = new Map(named.map((one) => [nameOf(one), one.description]));
  const line = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(/ \((Did you mean .*\?)\)$/, '. $1')
    .replace(/^option '(\S+).*?' argument '(.*)' is invalid/, '$1 cannot be "$2"')
    .replace(/^missing required argument '(.*)'$/, "required option '<$1>' not specified")
    .replace(/^required option '(.*)' .*$/, (_, one) => `${one} is missing: ${of.get(one)}`)
    .replace(/^option '(.*)' argument missing$/, '$1 needs a value')
    .replace(/^too many .* Expected (\d+) .*: (.*)\.$/, (_, most, given) =>
      commands.length > 0
        ? `unknown command '${given}'`
        : `too many arguments: ${given} (takes ${most === '0' ? 'no arguments' : most})`,
    );
  // "replay" is one of "dead-letters", and not a misspelt "deploy".
  const [unknown = '', name = ''] = UNKNOWN.exec(line) ?? [];
  const elsewhere = Object.keys(COMMAND_KINDS).filter((path) => path.endsWith(` ${name}`));
  if (elsewhere.length > 0) return `${unknown}. Did you mean ${elsewhere.join(' or ')}?`;
  const children = commands.map((one) => one.name()).join(', ');
  const [, typed = name, choices = children] = CHOICES.exec(line) ?? [];
  const meant = line.endsWith('?') ? undefined : closestTo(typed, choices.split(', '));
  // With what was meant, all the others are noise.
  const said = meant ? line.replace(/ Allowed choices are .*$/, '') : line;
  const ended = /[.?]$/.test(said) ? said : `${said}.`;
  return meant ? `${ended} Did you mean ${meant}?` : ended;
}

function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) forEachCommand(child, visit);
}
