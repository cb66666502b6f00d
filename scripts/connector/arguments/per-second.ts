import { InvalidArgumentError } from 'commander';

/** A parser for commander: `20/s`, or just `20`. */
export function perSecond(most: number): (text: string) => number {
  return (text) => {
    const [, digits] = /^(\d{1,9})(?:\/s)?$/.exec(text) ?? [];
    const value = Number(digits);
    if (value >= 1 && value <= most) return value;
    throw new InvalidArgumentError(`Give so many a second, from 1/s to ${most}/s.`);
  };
}
