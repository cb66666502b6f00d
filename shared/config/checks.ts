/** One thing that is wrong with the settings: where, and what it must be instead. */
export interface SettingFault {
  /** `shops[0].domain` */
  readonly path: string;
  /** Completes the sentence: `must end in .myshopify.com`. */
  readonly problem: string;
  /** Of an unknown setting: those that exist in its place. */
  readonly known?: readonly string[];
}

/** Checks one setting. Hand-written, because a library would slow down every cold start. */
export type Check = (value: unknown, path: string) => SettingFault[];

export function must(rule: string, holds: (value: unknown) => boolean): Check {
  return (value, path) => (holds(value) ? [] : [{ path, problem: `must ${rule}` }]);
}

export function matching(pattern: RegExp, rule: string): Check {
  return must(rule, (value) => typeof value === 'string' && pattern.test(value));
}

export const filledText = matching(/\S/, 'be a text that is not empty');

export const trueOrFalse = must('be true or false', (value) => typeof value === 'boolean');

export const aFunction = must('be a function', (value) => typeof value === 'function');

export function oneOf(...choices: readonly (string | number)[]): Check {
  const words = choices.map((choice) => JSON.stringify(choice).replaceAll('"', "'"));
  const rule = `be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return must(rule, (value) => choices.some((choice) => choice === value));
}

export function wholeNumber(least: number, most: number, unit: string): Check {
  const rule = `be a whole number of ${unit} from ${least} to ${most}`;
  return must(rule, (value) => Number.isInteger(value) && inRange(value as number, least, most));
}

export function webAddress(rule: string, allowed: (address: URL) => boolean): Check {
  return must(rule, (value) => {
    if (typeof value !== 'string' || !URL.canParse(value)) return false;
    return allowed(new URL(value));
  });
}

/** Applies `first` to the values that `fits` selects, and `otherwise` to all others. */
export function either(fits: (value: unknown) => boolean, first: Check, otherwise: Check): Check {
  return (value, path) => (fits(value) ? first : otherwise)(value, path);
}

export function listOf(item: Check, atLeast: number): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return [{ path, problem: 'must be a list' }];
    const faults = value.flatMap((entry, index) => item(entry, `${path}[${index}]`));
    if (value.length >= atLeast) return faults;
    return [...faults, { path, problem: `must have at least ${atLeast} entry` }];
  };
}

export interface Shape {
  readonly required?: Readonly<Record<string, Check>>;
  readonly optional?: Readonly<Record<string, Check>>;
}

/** Reports every wrong, missing or unknown field: a misspelt setting must not count as absent. */
export function shapeOf({ required = {}, optional = {} }: Shape): Check {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return [{ path, problem: 'must be an object' }];
    }
    const given = new Map<string, unknown>(
      Object.entries(value).filter(([, field]) => field !== undefined),
    );
    const at = (name: string) => (path === '' ? name : `${path}.${name}`);
    const missing = Object.keys(required)
      .filter((name) => !given.has(name))
      .map((name) => ({ path: at(name), problem: 'is missing' }));
    const known = [...Object.keys(required), ...Object.keys(optional)];
    const wrong = [...given].flatMap(([name, field]) => {
      const check = ownCheck(required, name) ?? ownCheck(optional, name);
      return check?.(field, at(name)) ?? [{ path: at(name), problem: 'is not a setting', known }];
    });
    return [...missing, ...wrong];
  };
}

function ownCheck(checks: Readonly<Record<string, Check>>, name: string): Check | undefined {
  return Object.hasOwn(checks, name) ? checks[name] : undefined;
}

function inRange(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
