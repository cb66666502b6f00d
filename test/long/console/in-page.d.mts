export function readTexts(): string;
export function findWritten(): {
  readonly taken: boolean;
  readonly elements: number;
  readonly links: number;
  readonly foreign: number;
};
export function attack(target: { readonly address: string; readonly change: string }): Promise<{
  readonly fetched: string[];
  readonly loaded: string[];
  readonly framed: string;
  readonly read: string;
  readonly cookies: string;
}>;
export function forgetTabs(): void;
export function rememberTab(): boolean;
export function missedByTab(): string[];
export function findTooWide(): string[];
