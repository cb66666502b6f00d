import type { Shop } from '../../../shared/config/connector-config.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { explainAwsError } from '../deployment/explain-aws-error.ts';
import type { ShopServices } from '../deployment/services.ts';
import type {
  FindingsBlock,
  ShownFinding,
  Suggestion,
  Verdict,
  VerdictKind,
} from '../document/document.ts';
import { Problem } from '../exit.ts';
import type { CommonOptions } from '../session.ts';
import { counted } from '../terminal/text.ts';

/**
 * One thing that must be right. `doctor` looks; `setup`, `webhooks sync` and `storefront setup` look, fix and look
 * again.
 */
export interface Check<About = unknown> {
  readonly name: string;
  /**
   * What this check cannot do without: names of other checks, or what a finding says is lacking. Where it is not
   * there, what this check finds only follows from that.
   */
  readonly needs?: readonly string[];
  /** Reads, and changes nothing. */
  look(): Promise<readonly Finding<About>[]>;
  /**
   * Does what it can about what is wrong, and asks a person where it must. Says what it did, and what it leaves to a
   * person; only the next look says whether it helped.
   */
  fix?(found: readonly Finding<About>[]): Promise<readonly Finding[]>;
}

export interface Finding<About = unknown> {
  /** `info`: neither good nor bad, but worth knowing. `unknown`: it could not be asked, or not all of it. */
  readonly verdict: 'pass' | 'warn' | 'fail' | 'info' | 'unknown';
  /** Its domain; undefined where it is of the whole deployment. */
  readonly shop?: string;
  readonly what: string;
  /** What to do about it, in words. */
  readonly fix?: string;
  /** Commands that do it. */
  readonly next?: readonly Suggestion[];
  /** What others need and is not there: `store secret`. */
  readonly lacks?: readonly string[];
  /** What was read, as values. Never a secret: it is printed with --json. */
  readonly about?: About;
}

/** Words, or a command. */
type Fix = string | Suggestion;

const found =
  (verdict: Finding['verdict']) =>
  (what: string, ...fixes: readonly Fix[]): Finding<never> => {
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

export const ofShop = <About>(
  { domain }: { readonly domain: string },
  findings: readonly Finding<About>[],
): readonly Finding<About>[] => findings.map((one) => ({ ...one, shop: domain }));

/** Something fails or warns. */
export const isWrong = (findings: readonly Finding[]): boolean =>
  findings.some(({ verdict }) => verdict === 'fail' || verdict === 'warn');

/** Of all shops, or of those that can be looked at. */
type Shops = readonly Shop[] | Promise<readonly Shop[]>;

/** What the checks of shops share. */
export interface ShopDeps {
  readonly deployment: Deployment;
  readonly shops: Shops;
  /** Asked at each look: a client keeps its token, and a token the scopes that it was issued with. */
  services(): ShopServices;
}

/** All shops in parallel. */
export function forEachShop<About>(
  shops: Shops,
  look: (shop: Shop) => Promise<readonly Finding<About>[]>,
): Check<About>['look'] {
  return async () => {
    const all = (await shops).map(async (shop) => ofShop(shop, await look(shop)));
    return (await Promise.all(all)).flat();
  };
}

export interface CheckResult extends Pick<Check, 'name' | 'needs'> {
  readonly findings: readonly Finding[];
}

const TIMEOUT_MS = 30_000;

/**
 * All checks in parallel, their results in order. A check that throws or hangs could not ask: that is a finding, and
 * does not delay the others.
 */
export function runChecks(
  checks: readonly Check[],
  options: CommonOptions = {},
  timeoutMs = TIMEOUT_MS,
): Promise<readonly CheckResult[]> {
  const look = async (check: Check): Promise<readonly Finding[]> => {
    try {
      return await check.look();
    } catch (error) {
      return [notAsked(error, options)];
    }
  };
  return Promise.all(
    checks.map(async (check) => resultOf(check, await within(timeoutMs, look(check)))),
  );
}

/** The result of one check, whose findings are known. */
export const resultOf = (
  { name, needs }: Pick<Check, 'name' | 'needs'>,
  findings: readonly Finding[],
): CheckResult => ({ name, ...(needs && { needs }), findings });

function notAsked(error: unknown, options: CommonOptions): Finding {
  const problem = error instanceof Problem ? error : explainAwsError(error, options);
  const said = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
  const what = (problem?.message ?? said).replace(/\s+/g, ' ').replace(/\.$/, '');
  return unknown(what, problem?.next ?? 'Run the command again; --verbose shows more.');
}

async function within(
  timeoutMs: number,
  work: Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    const what = `no answer within ${timeoutMs / 1000} s`;
    const findings = [unknown(what, 'Check the network from here, then run the command again.')];
    timer = setTimeout(() => resolve(findings), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a fix was given, what it did, and what is so afterwards. */
export interface Fixed<About> {
  readonly before: readonly Finding<About>[];
  /** Undefined: there was nothing to fix, or nothing that fixes it. */
  readonly done?: readonly Finding[];
  /** Read after the fix. */
  readonly after: readonly Finding<About>[];
}

/** Look → fix what fails or warns → look again. Throws what the look or the fix throws. */
export async function lookAndFix<About>(check: Check<About>): Promise<Fixed<About>> {
  const before = await check.look();
  if (!check.fix || !isWrong(before)) return { before, after: before };
  const done = await check.fix(before);
  return { before, done, after: await check.look() };
}

const TONES: Readonly<Record<Finding['verdict'], ShownFinding['tone']>> = {
  pass: 'well',
  warn: 'waits',
  fail: 'bad',
  info: 'info',
  unknown: 'waits',
};

/** What needs attention; `all`: the rest, too. */
const isShown = ({ verdict }: Finding, all: boolean): boolean =>
  all || (verdict !== 'pass' && verdict !== 'info');

/** The root causes first, and below each what only follows from it. */
export function findingsBlock(
  results: readonly CheckResult[],
  { title, all = true }: { readonly title?: string; readonly all?: boolean } = {},
): FindingsBlock {
  const nodes = results.flatMap(({ name, needs = [], findings }) =>
    findings.map((finding): Node => ({ name, needs, finding, follows: [] })),
  );
  const roots = nodes.filter((node) => {
    const cause = nodes.find((other) => isCause(other, node));
    cause?.follows.push(node);
    return !cause && isShown(node.finding, all);
  });
  const isOneShop = new Set(nodes.flatMap(({ finding }) => finding.shop ?? [])).size <= 1;
  const urgency = ({ finding }: Node) => ORDER.indexOf(finding.verdict);
  const shown = roots.toSorted((one, other) => urgency(one) - urgency(other));
  return {
    kind: 'findings',
    ...(title !== undefined && { title }),
    findings: shown.map((node) => shownFinding(node, isOneShop)),
  };
}

interface Node {
  readonly name: string;
  readonly needs: readonly string[];
  readonly finding: Finding;
  readonly follows: Node[];
}

const ORDER: readonly Finding['verdict'][] = ['fail', 'unknown', 'warn', 'info', 'pass'];

/**
 * What is lacking explains every fault of those who need it; another fault of a needed check only what they could not
 * ask. A check needs only what is looked at without it, so that causes never form a circle.
 */
function isCause(one: Node, other: Node): boolean {
  const isOpen = (verdict: Finding['verdict']) => verdict === 'fail' || verdict === 'unknown';
  const { finding, name } = one;
  const shops = [finding.shop, other.finding.shop];
  return (
    isOpen(finding.verdict) &&
    (other.needs.some((need) => finding.lacks?.includes(need))
      ? isOpen(other.finding.verdict)
      : other.needs.includes(name) && other.finding.verdict === 'unknown') &&
    (shops.includes(undefined) || shops[0] === shops[1])
  );
}

function shownFinding({ name, finding, follows }: Node, isOneShop: boolean): ShownFinding {
  const { verdict, shop, what, fix, next } = finding;
  const words = verdict === 'unknown' ? `not known: ${what}` : what;
  return {
    ...{ tone: TONES[verdict], name },
    what: shop === undefined || isOneShop ? words : `${shop}: ${words}`,
    ...(fix !== undefined && { fix }),
    ...(next && { next }),
    ...(follows.length > 0 && { follows: follows.map((node) => withoutFix(node, isOneShop)) }),
  };
}

/** What is done about its cause is done about it. */
function withoutFix(node: Node, isOneShop: boolean): ShownFinding {
  const { fix, next, ...rest } = shownFinding(node, isOneShop);
  return rest;
}

export type Counts = Readonly<Record<Finding['verdict'], number>>;

export function countFindings(results: readonly CheckResult[]): Counts {
  const all = results.flatMap(({ findings }) => findings);
  const count = (verdict: Finding['verdict']) =>
    all.filter((one) => one.verdict === verdict).length;
  return {
    ...{ fail: count('fail'), unknown: count('unknown'), warn: count('warn') },
    ...{ pass: count('pass'), info: count('info') },
  };
}

/**
 * Something fails: action required. Something could not be asked, or nothing was proven: not known. Else well, as it
 * was read just now.
 */
export function verdictOf(results: readonly CheckResult[]): Verdict {
  const { fail, unknown, warn, pass } = countFindings(results);
  const isKnown = unknown === 0 && pass > 0;
  const kind: VerdictKind = fail > 0 ? 'action required' : isKnown ? 'well' : 'not known';
  const parts = [
    ...(fail > 0 ? [`${fail} failed`] : []),
    ...(unknown > 0 ? [`${unknown} could not be asked`] : []),
    ...(warn > 0 ? [counted(warn, 'warning')] : []),
    `${pass} passed`,
  ];
  return { kind, what: `${parts.join(', ')}.` };
}
