import { setTimeout as sleep } from 'node:timers/promises';
import type { Shop } from '../../../../shared/config/connector-config.ts';
import type { StoreFinding } from '../../../../shared/core/platform/platform.ts';
import type { Deployment } from '../session/deployment.ts';
import { explainAwsError } from '../session/explain-aws-error.ts';
import { openShopServices, type ShopServices } from '../session/services.ts';
import type { CommonOptions } from '../session/session.ts';
import {
  type Block,
  type Document,
  type FindingsBlock,
  type ShownFinding,
  type Suggestion,
  text,
  type Verdict,
} from '../terminal/document.ts';
import { Problem } from '../terminal/exit.ts';
import { line } from '../terminal/line.ts';
import { counted, sentence } from '../terminal/text.ts';

/** One thing that must be right. `doctor` looks; `setup` and the commands that repair look, fix and look again. */
export interface Check {
  readonly name: string;
  /**
   * What this check cannot do without: names of other checks, or what a finding says is lacking. Where it is not
   * there, what this check finds only follows from that.
   */
  readonly needs?: readonly string[];
  /** Reads, and changes nothing. */
  look(): Promise<readonly Finding[]>;
  /**
   * Does what it can about what is wrong, and asks a person where it must. Says what it did, and what it leaves to a
   * person; only the next look says whether it helped.
   */
  fix?(found: readonly Finding[]): Promise<readonly Finding[]>;
}

export interface Finding {
  /** `info`: neither good nor bad, but worth knowing. `unknown`: it could not be asked, or not all of it. */
  readonly verdict: 'pass' | 'warn' | 'fail' | 'info' | 'unknown';
  /** Its domain; undefined where it is of the whole deployment. */
  readonly shop?: string;
  readonly what: string;
  readonly fix?: string;
  readonly next?: readonly Suggestion[];
  /** What others need and is not there: `store secret`. */
  readonly lacks?: readonly string[];
  /** As those of its check, for this finding alone. */
  readonly needs?: readonly string[];
}

type Fix = string | Suggestion;

const found =
  (verdict: Finding['verdict']) =>
  (what: string, ...fixes: readonly Fix[]): Finding => {
    const words = fixes.filter((one) => typeof one === 'string');
    const next = fixes.filter((one) => typeof one !== 'string');
    return {
      ...{ verdict, what },
      ...(words.length > 0 && { fix: words.join(' ') }),
      ...(next.length > 0 && { next }),
    };
  };

export const pass = found('pass');

export const info = found('info');

export const warn = found('warn');

export const fail = found('fail');

export const unknown = found('unknown');

export interface ShopDeps {
  readonly deployment: Deployment;
  readonly shops: readonly Shop[];
  /** Asked at each look: a client keeps its token, and a token the scopes that it was issued with. */
  services(): ShopServices;
}

export const shopDeps = (deployment: Deployment, shops: readonly Shop[]): ShopDeps => ({
  ...{ deployment, shops },
  services: () => openShopServices(deployment),
});

export function forEachShop(
  shops: readonly Shop[],
  look: (shop: Shop) => Promise<readonly Finding[]>,
): Check['look'] {
  return async () => {
    const all = shops.map(async (one) => {
      return (await look(one)).map((finding) => ({ ...finding, shop: one.domain }));
    });
    return (await Promise.all(all)).flat();
  };
}

export const shopCheck = (
  name: string,
  needs: readonly string[],
  shops: readonly Shop[],
  look: (shop: Shop) => Promise<readonly Finding[]>,
): Check => ({ name, needs, look: forEachShop(shops, look) });

export interface CheckResult extends Pick<Check, 'name' | 'needs'> {
  readonly findings: readonly Finding[];
}

const TIMEOUT_MS = 30_000;

/** All in parallel, their results in order. A check that throws or hangs is a finding, and does not delay the others. */
export function runChecks(
  checks: readonly Check[],
  options: CommonOptions = {},
  timeoutMs = TIMEOUT_MS,
): Promise<readonly CheckResult[]> {
  return Promise.all(
    checks.map(async (check) => {
      const timer = new AbortController();
      const what = `no answer within ${timeoutMs / 1000} s`;
      const late = [unknown(what, 'Check your network, then run the command again.')];
      const look = check.look().catch((error: unknown) => [notAsked(error, options)]);
      const time = sleep(timeoutMs, late, { signal: timer.signal });
      const findings = await Promise.race([look, time]);
      timer.abort();
      return resultOf(check, findings);
    }),
  );
}

export const resultOf = (
  { name, needs }: Pick<Check, 'name' | 'needs'>,
  findings: readonly Finding[],
): CheckResult => ({ name, ...(needs && { needs }), findings });

export function notAsked(error: unknown, options: CommonOptions): Finding {
  const problem = error instanceof Problem ? error : explainAwsError(error, options);
  const said = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
  const what = (problem?.message ?? said).replace(/\s+/g, ' ').replace(/\.$/, '');
  return unknown(what, problem?.next ?? 'Run the command again; --verbose shows more.');
}

export interface ChecksData {
  readonly checks: readonly CheckResult[];
}

/** What was found, with its verdict. `all`: also what passed, and what is only worth knowing. */
export function checksDocument(
  title: string,
  checks: readonly CheckResult[],
  { all = true }: { readonly all?: boolean } = {},
): Document<ChecksData> {
  const block = findingsBlock(checks, { all });
  const verdict = verdictOf(checks);
  const [only, ...others] = block.findings;
  // A verdict on one finding has said it.
  const isSaid = !only || (checks.length === 1 && others.length === 0 && !only.fix && !only.next);
  return { title, verdict, blocks: isSaid ? [] : [block], data: { checks } };
}

interface FixCommand {
  readonly title: string;
  readonly yes: boolean | undefined;
  isWanted(before: readonly Finding[]): boolean;
  next(before: readonly Finding[]): Suggestion;
  readonly blocks?: readonly Block[];
  readonly afterwards?: readonly Suggestion[];
}

/** A command that looks and shows what it would do, and with --yes does it and looks again. */
export async function fixDocument(
  check: Check,
  { title, yes, isWanted, next, blocks = [], afterwards = [] }: FixCommand,
): Promise<Document<ChecksData>> {
  const before = await check.look();
  if (!isWanted(before)) {
    const found = checksDocument(title, [resultOf(check, before)]);
    const isOpen = before.some(({ verdict }) => verdict === 'fail' || verdict === 'unknown');
    const end = text(isOpen ? 'Nothing was changed.' : 'Nothing to do.');
    return { ...found, blocks: [...found.blocks, ...blocks, end] };
  }
  if (!yes) {
    // What a finding suggests is to look at this.
    const seen = before.map(({ next: _, ...one }) => one);
    const checks = [resultOf(check, seen)];
    const shown = [findingsBlock(checks), ...blocks, text('Nothing was changed.')];
    return { title, blocks: shown, next: [next(before)], data: { checks } };
  }
  return fixedDocument(check, title, before, afterwards);
}

export async function fixedDocument(
  check: Check,
  title: string,
  before: readonly Finding[],
  afterwards: readonly Suggestion[] = [],
): Promise<Document<ChecksData>> {
  const done = (await check.fix?.(before)) ?? [];
  const after = await check.look();
  const now = checksDocument(title, [resultOf(check, after)]);
  const changed = findingsBlock([resultOf(check, done)], { title: 'Changed' });
  const refused = done.filter(({ verdict }) => verdict === 'fail');
  const verdict = verdictOf([resultOf(check, [...refused, ...after])]);
  const isChanged = done.length > refused.length;
  const next = isChanged && afterwards.length > 0 && { next: afterwards };
  return { ...now, verdict, blocks: [changed, ...now.blocks], ...next };
}

interface Node {
  readonly name: string;
  readonly needs: readonly string[];
  readonly finding: Finding;
  readonly follows: Node[];
}

/** The root causes, and below each what only follows from it. */
export function rootsOf(results: readonly CheckResult[]): readonly Node[] {
  const nodes = results.flatMap(({ name, needs = [], findings }) =>
    findings.map((finding): Node => {
      return { name, needs: [...needs, ...(finding.needs ?? [])], finding, follows: [] };
    }),
  );
  return nodes.filter((node) => {
    const cause = nodes.find((other) => isCause(other, node));
    cause?.follows.push(node);
    return !cause;
  });
}

/**
 * What is lacking explains every fault of those who need it; another fault of a needed check only what they could not
 * ask. A check needs only what is looked at without it, so that causes never form a circle.
 */
function isCause({ name, finding }: Node, other: Node): boolean {
  const isOpen = (verdict: Finding['verdict']) => verdict === 'fail' || verdict === 'unknown';
  const shops = [finding.shop, other.finding.shop];
  return (
    isOpen(finding.verdict) &&
    (other.needs.some((need) => finding.lacks?.includes(need))
      ? isOpen(other.finding.verdict)
      : other.needs.includes(name) && other.finding.verdict === 'unknown') &&
    (shops.includes(undefined) || shops[0] === shops[1])
  );
}

const TONES: Readonly<Record<Finding['verdict'], ShownFinding['tone']>> = {
  fail: 'bad',
  unknown: 'pending',
  warn: 'pending',
  pass: 'ok',
  info: 'info',
};

/** The worst first. */
const VERDICTS = ['fail', 'unknown', 'warn', 'pass', 'info'] as const;

/** The root causes first, each with all that one fix repairs. Without `all` only what needs attention. */
export function findingsBlock(
  results: readonly CheckResult[],
  { title, all = true }: { readonly title?: string; readonly all?: boolean } = {},
): FindingsBlock {
  const shops = new Set(
    results.flatMap(({ findings }) => findings.flatMap(({ shop }) => shop ?? [])),
  );
  const roots = VERDICTS.flatMap((verdict) =>
    rootsOf(results).filter(({ finding }) => finding.verdict === verdict),
  );
  const isShown = ({ finding }: Node) =>
    all || (finding.verdict !== 'pass' && finding.verdict !== 'info');
  const groups = Map.groupBy(roots.filter(isShown), ({ name, finding }) => {
    const { verdict, shop, fix, next } = finding;
    return fix === undefined && !next ? finding : JSON.stringify([name, verdict, shop, fix, next]);
  });
  const findings = [...groups.values()].flatMap((group) =>
    group.map((node) => {
      const { fix, next, ...shown } = shownFinding(node, shops);
      // The fix stands below the last of them.
      return node === group.at(-1)
        ? { ...shown, ...(fix && { fix }), ...(next && { next }) }
        : shown;
    }),
  );
  return { kind: 'findings', ...(title !== undefined && { title }), findings };
}

/** What follows goes away with its cause. The shop is named where there are several. */
function shownFinding({ name, finding, follows }: Node, shops: ReadonlySet<string>): ShownFinding {
  const { verdict, shop, what, fix, next } = finding;
  const place = shop === undefined || shops.size === 1 ? '' : `${shop}: `;
  const below = follows.map((node) => {
    const { fix: _, next: __, ...rest } = shownFinding(node, shops);
    return rest;
  });
  return {
    ...{ tone: TONES[verdict], name },
    what: `${place}${verdict === 'unknown' ? 'unknown: ' : ''}${what}`,
    ...(fix !== undefined && { fix }),
    ...(next && { next }),
    ...(below.length > 0 && { follows: below }),
  };
}

/**
 * Something fails: action required. Something could not be asked, or nothing was proven: unknown. A warning that
 * others lack something: pending. Else ok, as it was read just now. Of one check the words say what it found; of
 * several, how many findings are shown so.
 */
export function verdictOf(results: readonly CheckResult[]): Verdict {
  const roots = rootsOf(results);
  const of = (verdict: Finding['verdict']) =>
    roots.filter(({ finding }) => finding.verdict === verdict);
  const [fails, unknowns, warnings, fine, notes] = VERDICTS.map((one) => of(one).length);
  const held = of('warn').find(({ finding }) => finding.lacks)?.finding.what;
  const isKnown = unknowns === 0 && (fine || warnings);
  const good = held === undefined ? 'ok' : 'pending';
  const kind = fails ? 'action required' : isKnown ? good : 'unknown';
  if (results.filter(({ findings }) => findings.length > 0).length === 1) {
    const [first, ...others] = of(VERDICTS.find((one) => of(one).length > 0) ?? 'info');
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    return { kind, what: sentence(`${first?.finding.what}${more}`) };
  }
  const follows = results.flatMap(({ findings }) => findings).length - roots.length;
  const counts = [
    fails && `${fails} failed`,
    unknowns && `${unknowns} unknown`,
    follows && `${follows} caused by that`,
    warnings && counted(warnings, 'warning'),
    fine && `${fine} passed`,
    notes && counted(notes, 'note'),
  ];
  const what = `${counts.filter(Boolean).join(', ')}.`;
  return { kind, what: held === undefined ? what : `${sentence(held)} ${what}` };
}

/** Whether the store can be read, and counts as the settings say. */
export function serverCheck({ shops, services }: Omit<ShopDeps, 'deployment'>): Check {
  return shopCheck('store', ['store secret'], shops, async (shop) =>
    judgeStore(await services().asked(shop).look(), shop),
  );
}

export function judgeStore(found: readonly StoreFinding[], shop: Shop): readonly Finding[] {
  const [label, of] = ['Set the credentials of the store', { shop: shop.domain }];
  return found.flatMap(({ isRefused, currency, scopes: _, ...finding }) => [
    isRefused
      ? { ...finding, next: [{ label, line: line('secrets set', ['store'], of) }] }
      : finding,
    ...(currency === undefined ? [] : [judgeCurrency(shop.rules, currency)]),
  ]);
}

/** Whether the shop counts in the currency that the settings say; `currency`: undefined when it could not be read. */
export function judgeCurrency(
  rules: Pick<Shop['rules'], 'currency' | 'sharedAccount'>,
  currency: string | undefined,
): Finding {
  const { currency: wanted = currency, sharedAccount } = rules;
  if (currency === undefined) return unknown('the currency of the store could not be read');
  if (wanted === currency || wanted === 'any') return pass(`the store's currency is ${currency}`);
  const what = `the store has ${currency}, but rules.currency is ${wanted}: new orders become dead letters`;
  const own = `Set the shop's rules.currency to '${currency}'`;
  return fail(
    what,
    sharedAccount
      ? `${own} and sharedAccount to false, with an account of its own at the loyalty service; or set rules.currency to 'any' for all shops on the account, and 50 ${wanted} and 50 ${currency} count alike. Deploy, then replay the dead letters.`
      : `${own}, deploy, and replay the dead letters.`,
  );
}
