/** One setting: what it is by default, and how a given value is read. */
interface Setting<Value> {
  readonly preset: Value;
  /** Adds what is wrong with the value, in words that begin with its name. */
  read(value: unknown, path: string, faults: string[]): Value;
}

type Group = Readonly<Record<string, Setting<unknown>>>;
type Values<Of extends Group> = {
  readonly [Name in keyof Of]: Of[Name] extends Setting<infer Value> ? Value : never;
};

export type SettingsOf<Of> = Of extends Setting<infer Value> ? Value : never;

export type SettingsReading<Settings> =
  | { readonly kind: 'read'; readonly settings: Settings }
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

/** Fills what is missing with the defaults. All faults are reported together. */
export function readAll<Settings>(
  of: Setting<Settings>,
  input: unknown,
): SettingsReading<Settings> {
  const faults: string[] = [];
  const settings = of.read(input, '', faults);
  return faults.length > 0 ? { kind: 'faulty', faults } : { kind: 'read', settings };
}

function setting<Value>(
  preset: Value,
  fits: (value: unknown) => boolean,
  problem: string,
): Setting<Value> {
  return {
    preset,
    read(value, path, faults) {
      if (fits(value)) return value as Value;
      faults.push(`${path} ${problem}`);
      return preset;
    },
  };
}

export const flag = (preset: boolean) =>
  setting(preset, (value) => typeof value === 'boolean', 'must be true or false');

/** The first is the default. */
export const oneOf = <const Value extends string | number>(first: Value, ...others: Value[]) => {
  const allowed: readonly unknown[] = [first, ...others];
  return setting<Value>(
    first,
    (value) => allowed.includes(value),
    `must be ${allowed.join(' or ')}`,
  );
};

export const number = (
  preset: number,
  least: number,
  most: number,
  kind: 'number' | 'whole number' = 'number',
) => {
  const fits = (value: unknown) =>
    typeof value === 'number' &&
    value >= least &&
    value <= most &&
    (kind === 'number' || Number.isInteger(value));
  return setting(preset, fits, `must be a ${kind} from ${least} to ${most}`);
};

export const text = (preset: string, form: RegExp, problem: string) =>
  setting(preset, (value) => typeof value === 'string' && form.test(value), problem);

/** An object with any of these members and no others. */
export function group<const Of extends Group>(of: Of): Setting<Values<Of>> {
  const preset = Object.fromEntries(
    Object.entries(of).map(([name, one]) => [name, one.preset]),
  ) as Values<Of>;
  return {
    preset,
    read(value, path, faults) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        faults.push(`${path || 'the settings'} must be an object`);
        return preset;
      }
      const given = Object.entries(value).filter(([, part]) => part !== undefined);
      const read = given.map(([name, part]) => {
        const at = path === '' ? name : `${path}.${name}`;
        const known = Object.hasOwn(of, name) ? of[name] : undefined;
        if (!known) faults.push(`${at} is not a setting`);
        return [name, known?.read(part, at, faults)] as const;
      });
      return { ...preset, ...Object.fromEntries(read) };
    },
  };
}
