import type { AskedField } from '../../../shared/core/platform/platform.ts';
import type { SecretPurpose } from '../../../shared/services/shop-secrets.ts';
import { shopDeps } from '../ground/checks/check.ts';
import {
  readCredentials,
  readSecret,
  secretsCheck,
  storeSecret,
} from '../ground/checks/read-secret.ts';
import { obtainValue, type ShopSetup, type Step, type StoreRoom } from '../ground/checks/step.ts';
import { Problem } from '../ground/terminal/exit.ts';
import {
  askFields,
  faultIn,
  fieldsOf,
  missingIn,
  type SecretFields,
  tryCredentials,
} from './set-secret.ts';

/** Each needs what those before it have made. */
export function* shopSteps(setup: ShopSetup, room: StoreRoom): Generator<Step> {
  const { deployment, shop, isOnly } = setup;
  const titled = (title: string) => (isOnly ? title : `${title} of ${shop.domain}`);
  yield { ...secretsCheckOf(setup, room), title: titled('Secrets') };
  for (const step of room.steps(setup, shopDeps(deployment, [shop]))) {
    yield { ...step, title: titled(step.title) };
  }
}

/** Asks for what is not stored yet. */
function secretsCheckOf(setup: ShopSetup, { guide }: StoreRoom): Pick<Step, 'look' | 'fix'> {
  const { deps, deployment, shop, isOnly } = setup;
  const only = { ...deployment, connector: { ...deployment.connector, shops: [shop] } };
  return {
    look: () => secretsCheck(only, readCredentials(only, deps.options)).look(),
    async fix(found) {
      const lacking = found.flatMap(({ lacks = [] }) => lacks);
      const [store, webhook] = [await stored('store'), await stored('webhook')];
      const fields = fieldsOf('store', shop, deps.options.olderApp);
      // One that opens the store and signs its webhooks is asked for once and stored twice.
      const isShared = fields.some(({ field }) => field === 'clientSecret');
      const signing = isShared ? webhook?.current : undefined;
      const known: SecretFields = typeof signing === 'string' ? { clientSecret: signing } : {};
      const signs = store ? 'clientSecret' in store : isShared;
      const wanted = {
        store: store ? [] : fields.filter(({ field }) => !(field in known)),
        webhook: webhook || signs ? [] : fieldsOf('webhook', shop),
        loyalty: lacking.includes('loyalty secret') ? fieldsOf('loyalty', shop) : [],
      };
      requireGiven(Object.values(wanted));
      // First, because the webhook secret follows from it: a run that ends here asks for nothing again.
      const opens = store ?? (await obtainStore(wanted.store, known));
      if (!webhook) {
        const asked = signs
          ? { current: `${opens.clientSecret}` }
          : await askFields(wanted.webhook, (one) => obtainValue(one));
        await keep('webhook', asked);
      }
      if (wanted.loyalty.length > 0) {
        deps.terminal.note('Token and key are in the panel of the loyalty service, menu API Keys.');
        await keep('loyalty', await obtainTried('loyalty', wanted.loyalty));
      }
      return [];
    },
  };

  /** Without a terminal: all that is missing, at once. */
  function requireGiven(wanted: readonly (readonly AskedField[])[]): void {
    if (process.stdin.isTTY) return;
    const missing = wanted.flatMap((fields) => missingIn(fields, process.env));
    if (missing.length === 0) return;
    const lines = missing.map(({ variable, question }) => `  ${variable}: ${question}`);
    throw new Problem(
      ['Not given:', ...lines].join('\n'),
      'Set these environment variables, or run the command in a terminal, which asks.',
    );
  }

  async function obtainStore(
    wanted: readonly AskedField[],
    known: SecretFields,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (deps.where === 'aws' && guide) deps.terminal.note(guide(setup));
    if (known.clientSecret !== undefined) {
      deps.terminal.note('The stored webhook secret is taken as the client secret of the app.');
    }
    const fields = await obtainTried('store', wanted, known);
    await keep('store', fields);
    return fields;
  }

  /** Undefined when it was never set. */
  async function stored(purpose: SecretPurpose) {
    const read = await readSecret(deployment, shop, purpose);
    return read.kind === 'there' ? read.fields : undefined;
  }

  async function keep(purpose: SecretPurpose, fields: SecretFields): Promise<void> {
    await deps.session.beginChange(deployment);
    await storeSecret(deployment, shop, purpose, fields);
    deps.terminal.note(`The ${purpose} secret is stored.`);
  }

  /**
   * Asks for the values of a secret and tries them before they are stored. In a terminal the user has three
   * tries; otherwise the same values would come again.
   */
  async function obtainTried(
    purpose: 'store' | 'loyalty',
    wanted: readonly AskedField[],
    known: SecretFields = {},
  ): Promise<SecretFields> {
    // The variables name no shop.
    if (!isOnly && !process.stdin.isTTY) {
      throw new Problem('Values without a terminal are for one shop.', 'Name it: --shop DOMAIN.');
    }
    for (let tries = 1; ; tries += 1) {
      const fields = { ...known, ...(await askFields(wanted, (one) => obtainValue(one))) };
      const refused =
        faultIn(purpose, fields, shop) ?? (await tryCredentials(deployment, shop, purpose, fields));
      if (refused === undefined) return fields;
      const problem = `Nothing was stored: ${refused}.`;
      if (!process.stdin.isTTY || tries === MOST_TRIES) {
        throw new Problem(problem, 'Correct the value, then run the command again.');
      }
      deps.terminal.note(`${problem} Once more:`);
    }
  }
}

const MOST_TRIES = 3;
