import { askYesNo } from '../connector/terminal/ask.ts';
import { deploy, HELP, readArguments } from './deploy.ts';
import { runCdk } from './run-cdk.ts';

const EXIT = { deployed: 0, unchanged: 0, declined: 1, failed: 1 } as const;

const given = readArguments(process.argv.slice(2));
switch (given.kind) {
  case 'help':
    console.log(HELP);
    break;
  case 'mistake':
    console.error(`${given.why}\n\n${HELP}`);
    process.exitCode = 2;
    break;
  case 'deploy':
    process.exitCode =
      EXIT[
        await deploy(given.options, {
          runCdk: (words) => runCdk(words, given.options),
          confirm: askYesNo,
          say: (text) => console.error(text),
        })
      ];
}
