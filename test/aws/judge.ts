import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { amountHeld } from '../../local/harness/held-order.ts';
import { compare, listSandbox } from '../../local/stack/demo/compare.ts';
import { applies, readPolicy, type Statement } from '../../local/stack/iam/policy.ts';
import type { Connector, Shop } from '../../shared/config/connector-config.ts';
import { createConfidential } from '../support/disclosure.ts';
import { judgeOrder } from '../support/judge-order.ts';
import { usualRules } from '../support/order-law.ts';
import type { Account } from './account.ts';
import { type Scene, say } from './check.ts';
import type { RecordedCall } from './recorder.ts';
import type { WrittenTemplate } from './template.ts';

/** At the end of a day. */
export async function judgeDay(scene: Scene): Promise<void> {
  say('the judgement');
  const { account, check } = scene;
  const settings = pathToFileURL(join(account.project, 'connector.config.ts')).href;
  const { default: connector }: { default: Connector } = await import(settings);
  const [shop] = connector.shops;
  if (!shop) throw new Error('there is no shop in the settings');
  await judgeCalls(scene);
  const found = [
    ...(await judgeSides(account, shop)),
    ...judgeRewards(account),
    ...(await judgeLogs(account)),
    ...(await judgeAudit(account)),
  ];
  const letters = await account.deadLetters();
  if (letters > 0) found.push(`${letters} dead letters are left`);
  for (const line of ['status', 'compare orders --since 1d']) {
    const { code, stdout } = await account.run(line, [0, 1, 3, 4]);
    if (code !== 0) found.push(`"${line}" ends with ${code}: ${stdout}`);
  }
  for (const fault of found) check.fail(fault);
}

/** One sentence for each way in which the two sides differ, or points and orders. */
async function judgeSides({ store, loyalty }: Account, shop: Shop): Promise<string[]> {
  const { differences, ...counts } = await compare(listSandbox(store), loyalty, shop, new Date());
  const faults = [...differences];
  if (counts.orders === 0) faults.push('nothing was compared');
  const { orders: held, points } = loyalty.state();
  for (const row of store.rows.orders.values()) {
    const found = held.find(({ OriginalId }) => OriginalId === row.id);
    const judged = judgeOrder({
      states: [row],
      held: found && {
        isCompleted: found.IsCompleted,
        isCancelled: found.IsCancelledOrReturned,
        minor: BigInt(Math.round(amountHeld(found) * 100)),
      },
      rules: [usualRules],
      letters: [],
    });
    if (judged.kind === 'broken') faults.push(`order ${row.id} ${judged.what}`);
  }
  for (const order of held) {
    const earned = points
      .filter(({ source }) => source.kind === 'order' && source.orderId === order.OriginalId)
      .reduce((sum, one) => sum + one.points, 0);
    const due = order.IsCompleted && !order.IsCancelledOrReturned ? amountHeld(order) : 0;
    if (Math.abs(earned - due) > 0.001) {
      faults.push(`order ${order.OriginalId} earned ${earned} points and is worth ${due}`);
    }
  }
  return faults;
}

/** A redemption has one code, which the store has or an order used once, and the store shows the points of the service. */
function judgeRewards({ store, loyalty }: Account): string[] {
  const { redemptions, customers } = loyalty.state();
  const { metafields, discounts, codes, orders } = store.state();
  const faults: string[] = [];
  const rewarded = discounts.filter(({ context }) => context.kind === 'customers');
  if (rewarded.length > redemptions.length) faults.push('a redemption has two codes');
  for (const { ExternalCode: code } of redemptions) {
    const uses = orders.filter(({ applications }) => applications.some((one) => one.name === code));
    const isKept = codes.some((one) => one.code === code);
    if (uses.length > 1) faults.push(`the code ${code} was used ${uses.length} times`);
    if (uses.length === 0 && !isKept) faults.push(`a redemption was paid for and has no code`);
  }
  for (const { ownerGid, value } of metafields.filter(({ key }) => key === 'points')) {
    const held = customers.find(({ OriginalId }) => ownerGid.endsWith(`/${OriginalId}`))?.points;
    if (String(held) !== value) faults.push(`${ownerGid} is shown ${value} points and has ${held}`);
  }
  return faults;
}

/** Of the calls since it was asked last, which are those of one release and its template. */
export async function judgeCalls({ account, check }: Scene): Promise<void> {
  const { recorder, project, client, stack } = account;
  const roles = await rolesByKey(client);
  const file = join(project, 'cdk.out', `${stack}.template.json`);
  const template: WrittenTemplate = JSON.parse(readFileSync(file, 'utf8'));
  // CDK's own roles have such keys, too.
  const calls = recorder.calls.splice(0).filter(({ key }) => roles.has(key));
  const faults = new Set<string>();
  for (const call of calls) {
    const role = roles.get(call.key) ?? '';
    if (call.denied) faults.add(`${role} may not ${call.action}: ${call.denied}`);
    // Which kinds of items it may write, the engine cannot judge.
    else if (!maysWrite(call, statementsOf(template, stack, role))) {
      faults.add(`${role} may not ${call.action} items of this kind`);
    }
  }
  if (calls.length === 0) faults.add('no call was recorded');
  for (const fault of faults) check.fail(fault);
}

/** As the engine makes the keys of functions, when it enforces IAM. */
async function rolesByKey(client: Account['client']): Promise<ReadonlyMap<string, string>> {
  const { Functions: functions = [] } = await new LambdaClient(client).send(
    new ListFunctionsCommand({}),
  );
  return new Map(
    functions.map(({ FunctionArn: arn, Role: role = '' }) => {
      const digest = createHash('sha256').update(`${arn}:${role}`).digest('hex');
      return [`ASIA${digest.slice(0, 16).toUpperCase()}`, role.replace(/^.*\//, '')];
    }),
  );
}

/** What the engine puts at the end of a name that it makes. */
const ENDING = 'CFF4A12557F97'.length;

/** Of the policies of a role. Which resources they are about, the engine has judged. */
function statementsOf({ Resources: resources }: WrittenTemplate, stack: string, role: string) {
  // Where the name would get too long, the end of the logical id is cut off.
  const named = role.slice(0, -ENDING).replace(/-$/, '');
  const isOf = ({ Ref: id }: { readonly Ref: string }) => `${stack}-${id}`.startsWith(named);
  const policies = Object.values(resources).filter(
    ({ Type, Properties }) => Type === 'AWS::IAM::Policy' && Properties.Roles.some(isOf),
  );
  return policies.flatMap(({ Properties: { PolicyDocument: document } }): Statement[] => {
    const read = readPolicy(document);
    if (read.kind === 'unknown') throw new Error(`a policy has ${read.problem}`);
    return read.statements.map((one) => ({ ...one, resources: ['*'] }));
  });
}

/** The ledger's partition key. */
const KEY = 'entity';

function maysWrite({ action, items }: RecordedCall, statements: readonly Statement[]): boolean {
  const keys = items.flatMap((item) => Object.values(Object(item[KEY])).map(String));
  const context = keys.length > 0 ? { 'dynamodb:LeadingKeys': keys } : {};
  const request = { action, resource: '*', context };
  return statements.some((one) => one.effect === 'Allow' && applies(one, request));
}

/** What a lost ledger forgets, it still knows. */
export async function auditDay({ account, check }: Scene): Promise<void> {
  say('the audit');
  for (const fault of await judgeAudit(account)) check.fail(fault);
}

/** What `audit` says of the day: no promise is broken, and of each something was decided. */
async function judgeAudit({ run }: Account): Promise<string[]> {
  const { stdout } = await run('audit --since 1d --json', [0, 1, 4]);
  const { promises }: { promises: readonly AuditedPromise[] } = JSON.parse(stdout).data;
  return promises.flatMap(({ promise, cases, broken, notDecided, violations }) => {
    // Before the ledger is lost the day is audited, too; and a calm machine pauses for less than a minute.
    const { 'ledger-lost': _, 'pause-too-short': __, ...others } = notDecided;
    const open = Object.values(others).reduce((sum, one) => sum + one, 0);
    if (broken > 0) return [`audit: ${promise} is broken: ${JSON.stringify(violations)}`];
    const isAbsent = cases === 0 && NOT_EVERY_DAY.includes(promise);
    return cases > open || isAbsent
      ? []
      : [`audit: ${promise} is not decided: ${JSON.stringify(notDecided)}`];
  });
}

/** A day may be without a pause, and a redemption is forgotten with a lost ledger. */
const NOT_EVERY_DAY = ['no-call-while-paused', 'redeemed-once'];

interface AuditedPromise {
  readonly promise: string;
  readonly cases: number;
  readonly broken: number;
  readonly notDecided: Readonly<Record<string, number>>;
  readonly violations: readonly object[];
}

/** What the functions logged that they must not, or that says of a bug. */
async function judgeLogs(account: Account): Promise<string[]> {
  const lines = await account.readLogs();
  const confidential = createConfidential();
  for (const customer of account.store.rows.customers.values()) {
    confidential.addPersonal({ customer });
  }
  for (const secret of account.secrets) confidential.addSecret(secret);
  const faults = confidential.disclosedIn(lines).map((text) => `a log line tells "${text}"`);
  if (lines.length < 20) faults.push(`only ${lines.length} log lines were found`);
  const broken = lines.find((line) => /Invoke Error|Unhandled|Task timed out/.test(line));
  if (broken) faults.push(`a function failed: ${broken.slice(0, 400)}`);
  return faults;
}
