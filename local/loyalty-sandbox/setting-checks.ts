/** Gives what is wrong with a value, in words that begin with its name; nothing when it is right. */
export type Check = (value: unknown, path: string) => string[];

export const flag: Check = (value, path) =>
  typeof value === 'boolean' ? [] : [`${path} must be true or false`];

export const oneOf =
  (...allowed: readonly (string | number)[]): Check =>
  (value, path) =>
    allowed.some((a) => a === value) ? [] : [`${path} must be ${allowed.join(' or ')}`];

export const number =
  (least: number, most: number, kind: 'number' | 'whole number' = 'number'): Check =>
  (value, path) =>
    typeof value === 'number' &&
    value >= least &&
    value <= most &&
    (kind === 'number' || Number.isInteger(value))
      ? []
      : [`${path} must be a ${kind} from ${least} to ${most}`];

export const text =
  (form: RegExp, problem: string): Check =>
  (value, path) =>
    typeof value === 'string' && form.test(value) ? [] : [`${path} ${problem}`];

/** An object with any of these members and no others. */
export const parts =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    const prefix = path === '' ? '' : `${path}.`;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return [`${path || 'the settings'} must be an object`];
    }
    return Object.entries(value).flatMap(([name, part]) => {
      if (part === undefined) return [];
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      return check ? check(part, prefix + name) : [`${prefix}${name} is not a setting`];
    });
  };

/** For spreading over defaults. */
export function dropUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, v]) => v !== undefined)) as T;
}
