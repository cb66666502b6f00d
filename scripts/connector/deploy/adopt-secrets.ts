import { readFileSync } from 'node:fs';
import type { StackAccess } from './stack-access.ts';
import { isSecret } from './stack-policy.ts';

interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: { readonly Name?: unknown } }>
  >;
}

/** Secrets that an earlier stack left behind: in the form of CDK's resource mapping, by logical id. */
export type Adoptable = Readonly<Record<string, { readonly Id: string }>>;

/**
 * Finds the secrets of the template that exist already and are not in the stack: those of a stack that was
 * deleted, or of a shop that was removed and is back. To create them would fail on their names; imported,
 * they keep their values.
 */
export async function findAdoptable(
  templateFile: string,
  isDeployed: boolean,
  access: Pick<StackAccess, 'resourceIds' | 'secretArn'>,
): Promise<Adoptable> {
  const { Resources }: Template = JSON.parse(readFileSync(templateFile, 'utf8'));
  const known = isDeployed ? await access.resourceIds() : new Set();
  const found: Record<string, { readonly Id: string }> = {};
  for (const [id, { Type, Properties }] of Object.entries(Resources)) {
    const name = Properties?.Name;
    if (!isSecret(Type) || known.has(id) || typeof name !== 'string') continue;
    const arn = await access.secretArn(name);
    if (arn !== undefined) found[id] = { Id: arn };
  }
  return found;
}
