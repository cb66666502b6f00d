import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Answers {
  /** Of the folder and of its package. */
  readonly name: string;
  readonly shop: string;
  readonly loyaltyAddress: string;
  /** Undefined: alarms notify no one yet. */
  readonly alarmsEmail: string | undefined;
  readonly region: string;
}

/** Where each file of `template` goes. npm would leave out some of these names in a package. */
const PLACES = {
  'connector.config.ts': 'connector.config.ts',
  'tsconfig.json': 'tsconfig.json',
  gitignore: '.gitignore',
  'README.md': 'README.md',
  'deploy.yml': '.github/workflows/deploy.yml',
  'deploy-role.yml': 'deploy-role.yml',
} as const;

/** The paths of the files of a new project. */
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
  const emails = alarmsEmail === undefined ? '[]' : `[${quote(alarmsEmail)}]`;
  const values: Readonly<Record<string, string>> = {
    "'../../../../shared/config/connector-config.ts'": "'loyalty-connector'",
    "'https://loyalty.example.com'": quote(loyaltyAddress),
    "['operator@example.com']": emails,
    'example-store.myshopify.com': shop,
    'us-east-1': region,
    'my-shop': name,
  };
  // In one pass: an answer may contain another example, as my-shop.myshopify.com does.
  const examples = new RegExp(Object.keys(values).map(literal).join('|'), 'g');
  return text.replaceAll(examples, (example) => values[example] ?? example);
}

/** For an expression; `RegExp.escape` needs Node 24, and `npm create` runs on the user's own. */
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
