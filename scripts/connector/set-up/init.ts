import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { inspect } from 'node:util';
import { EXAMPLE_SHOP, newShop, SHOP_NAMES } from '../../../shared/config/new-shop.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { checkSettings } from '../../../shared/config/settings-check.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import { type Document, text } from '../ground/terminal/document.ts';
import { BadArguments, Problem } from '../ground/terminal/exit.ts';
import { askLine, type Terminal } from '../ground/terminal/terminal.ts';

export interface InitOptions extends Given {
  readonly yes?: boolean;
  /** The connector as a file. Absent: npm finds it in its registry. */
  readonly package?: string;
}

/** Writes the project of a merchant, and no file that is already there. */
export async function init(
  { terminal }: Pick<Session, 'terminal'>,
  { yes = false, package: packed, ...given }: InitOptions & CommonOptions,
  folder = '',
): Promise<Document> {
  const target = resolve(folder);
  // Before the questions: no one answers in vain.
  if (packed !== undefined && !(packed.endsWith('.tgz') && existsSync(packed))) {
    throw new BadArguments(`--package must be a file that "npm pack" wrote, not ${packed}.`);
  }
  const copy = packed === undefined ? [] : [basename(packed)];
  const taken = [...PROJECT_PATHS, ...copy].filter((file) => existsSync(join(target, file)));
  if (taken.length > 0) {
    throw new Problem(
      `${target} already has ${taken.join(', ')}. Nothing was written.`,
      'Name a new folder.',
    );
  }
  const others = existsSync(target) ? readdirSync(target) : [];
  const answers = await askAnswers(terminal, given, !yes && process.stdin.isTTY === true);
  const source = packed === undefined ? VERSION : `file:${basename(packed)}`;
  const files = projectFiles({ ...answers, name: packageName(target) }, source);
  for (const [file, contents] of files) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    writeFileSync(join(target, file), contents, { flag: 'wx' });
  }
  if (packed !== undefined) {
    // Inside of the project, so that its repository and its workflow have it, too.
    copyFileSync(packed, join(target, basename(packed)), constants.COPYFILE_EXCL);
  }
  const enter = relative(process.cwd(), target);
  const commands = [
    ...(enter === '' ? [] : [`cd ${enter}`]),
    'npm install',
    `${startOf(newShop(answers.shop)).padEnd(30)}  tries it on this machine`,
    `npx loyalty-connector setup --region ${answers.region}    puts it into your AWS account`,
  ];
  return {
    title: `Project in ${target}`,
    blocks: [
      text(`Written: ${[...files.keys(), ...copy].join(', ')}.`),
      text(others.length > 0 && `Already there, and left as it is: ${others.join(', ')}.`),
      { kind: 'code', title: 'Next', text: commands.join('\n') },
    ],
  };
}

/** npm takes lower-case letters, digits and hyphens. */
function packageName(folder: string): string {
  const name = basename(folder).toLowerCase();
  return name.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'loyalty';
}

type Given = Partial<Readonly<Record<keyof typeof QUESTIONS, string>>>;

export interface Answers extends Required<Given> {
  /** Of the folder and of its package. */
  readonly name: string;
}

interface Question {
  readonly option: string;
  readonly text: string;
  /** Absent: an answer is needed. */
  readonly unanswered?: string;
  /** What is wrong with an answer, as a sentence without its subject. */
  problem(answer: string): string | undefined;
}

const EXAMPLE = {
  shops: [{ domain: EXAMPLE_SHOP }],
  loyalty: { address: 'https://loyalty.example.com' },
};
const firstFault = (settings: object): string | undefined =>
  checkSettings({ ...EXAMPLE, ...settings })[0]?.problem;

const HERE = /^(?:localhost|127\.0\.0\.1)$/;

/** With a real server in place of the store sandbox: the one on this machine, or an example. */
function startOf({ platform, domain }: ReturnType<typeof newShop>): string {
  if (platform === undefined) return 'npm start';
  return HERE.test(domain)
    ? 'npm start -- --new --data .connector/data'
    : `npm start -- --store ${platform}`;
}

const QUESTIONS = {
  shop: {
    option: '--shop',
    text: `Permanent domain of the shop (${SHOP_NAMES})`,
    problem: (answer) => {
      const shop = newShop(answer);
      const fault = firstFault({ shops: [shop] });
      return fault && !shop.platform ? `${fault} (${SHOP_NAMES})` : fault;
    },
  },
  loyaltyAddress: {
    option: '--loyalty-address',
    text: 'Address of the loyalty service (https://…)',
    problem: (address) => firstFault({ loyalty: { address } }),
  },
  alarmsEmail: {
    option: '--alarms-email',
    text: 'E-mail address for alarms (empty: none yet)',
    unanswered: '',
    problem: (email) => (email === '' ? undefined : firstFault({ alarms: { emails: [email] } })),
  },
  region: {
    option: '--region',
    text: 'AWS region (empty: us-east-1)',
    unanswered: 'us-east-1',
    problem: (region) =>
      /^[a-z]{2}(-[a-z]+)+-\d$/.test(region) ? undefined : 'must be one such as eu-west-1',
  },
} satisfies Readonly<Record<string, Question>>;

/** Takes what options say, asks for the rest, and repeats a question until its answer is right. */
async function askAnswers(
  terminal: Terminal,
  given: Given,
  mayAsk: boolean,
): Promise<Required<Given>> {
  const answers = { shop: '', loyaltyAddress: '', alarmsEmail: '', region: '' };
  const problems: string[] = [];
  for (const [name, question] of Object.entries<Question>(QUESTIONS)) {
    const of = name as keyof Given;
    const answer = given[of] ?? (mayAsk ? await ask(question, terminal) : question.unanswered);
    const problem = answer === undefined ? 'is missing' : question.problem(answer);
    if (problem !== undefined) problems.push(`${question.option} ${problem}`);
    answers[of] = answer ?? '';
  }
  if (problems.length > 0) throw new BadArguments(`${problems.join('; ')}.`);
  return answers;
}

async function ask(question: Question, terminal: Terminal): Promise<string> {
  for (;;) {
    const typed = await askLine(question.text);
    if (typed === undefined) throw new Problem('Nothing was written: the input was cancelled.');
    const answer = typed === '' ? (question.unanswered ?? '') : typed;
    const problem = question.problem(answer);
    if (problem === undefined) return answer;
    terminal.note(`This ${problem}.`);
  }
}

/** Where each file of `template` goes. npm would leave out some of these names in a package. */
const PLACES = {
  'connector.config.ts': 'connector.config.ts',
  'tsconfig.json': 'tsconfig.json',
  gitignore: '.gitignore',
  npmrc: '.npmrc',
  'README.md': 'README.md',
  'deploy.yml': '.github/workflows/deploy.yml',
  'deploy-role.yml': 'deploy-role.yml',
} as const;

export const PROJECT_PATHS: readonly string[] = [
  'package.json',
  'cdk.json',
  ...Object.values(PLACES),
];

/** The files of a new project, by their paths. `connector` is what package.json says of the connector: a version or a file. */
export function projectFiles(answers: Answers, connector: string): ReadonlyMap<string, string> {
  const files = Object.entries(PLACES).map(([template, place]) => {
    const text = readFileSync(join(import.meta.dirname, 'template', template), 'utf8');
    return [place, fillIn(text, answers)] as const;
  });
  const app = { app: `node --input-type=module -e "import 'loyalty-connector/app'"` };
  return new Map([
    ['package.json', manifestOf(answers, connector)],
    // For `npx cdk`; our own commands need no file.
    ['cdk.json', `${JSON.stringify(app)}\n`],
    ...files,
  ]);
}

/** The templates hold examples, so that they can be checked as they are. */
function fillIn(
  text: string,
  { name, shop, loyaltyAddress, alarmsEmail, region }: Answers,
): string {
  const { domain, ...more } = newShop(shop);
  const emails = alarmsEmail === '' ? '[]' : `[${quote(alarmsEmail)}]`;
  const values: Readonly<Record<string, string>> = {
    "'../../../../shared/config/connector-config.ts'": "'loyalty-connector'",
    "'https://loyalty.example.com'": quote(loyaltyAddress),
    "['operator@example.com']": emails,
    [`domain: '${EXAMPLE_SHOP}',`]: `domain: '${domain}',${settingLines(more)}`,
    [EXAMPLE_SHOP]: domain,
    'us-east-1': region,
    'my-shop': name,
  };
  // In one pass: an answer may contain another example, as my-shop.myshopify.com does.
  const examples = new RegExp(Object.keys(values).map(literal).join('|'), 'g');
  // The lines about an app are for a shop that has one.
  const meant = more.platform
    ? text
        .replaceAll(/^.*\bapp write\b.*\n/gm, '')
        .replace(/^npm start {7}/m, `${startOf({ domain, ...more })}    `)
    : text;
  const shown = HERE.test(domain) ? meant.replace('with a store and a', 'with a') : meant;
  return shown.replaceAll(examples, (example) => values[example] ?? example);
}

function settingLines(more: object): string {
  const lines = Object.entries(more).map(
    ([name, value]) => `${name}: ${inspect(value, { breakLength: Number.POSITIVE_INFINITY })},`,
  );
  if (lines.length > 0)
    lines.unshift("// The currency is the one that the shop's channel counts in.");
  return lines.map((one) => `\n      ${one}`).join('');
}

/** For an expression: of what the examples hold. */
const literal = (text: string): string => text.replaceAll(/[.[\]]/g, '\\$&');

const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

function manifestOf({ name, region }: Answers, connector: string): string {
  const manifest = {
    name,
    private: true,
    type: 'module',
    scripts: {
      start: 'loyalty-connector start',
      synth: 'loyalty-connector synth',
      deploy: `loyalty-connector deploy --region ${region}`,
    },
    dependencies: { 'loyalty-connector': connector },
    // npm asks which packages may run a script when they are installed; a packed connector needs none of its own.
    allowScripts: { 'loyalty-connector': false, node: true, esbuild: true, 'classic-level': true },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
