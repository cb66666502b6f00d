import type { Command } from 'commander';
import { offeredCommands, type RunSettings } from './run-command.ts';

/** What the page knows of its console. Without secrets. */
export type AboutConsole = ReturnType<typeof aboutConsole>;

export function aboutConsole({
  createProgram,
  deployment,
  readOnly,
}: Pick<RunSettings, 'createProgram' | 'deployment' | 'readOnly'>) {
  const { where, stack, stage, region, version, connector, aws } = deployment;
  return {
    ...{ where, stack, stage, region, version, readOnly },
    ...(aws.profile !== undefined && { profile: aws.profile }),
    shops: connector.shops.map(({ domain }) => domain),
    hasStorefront: connector.storefront !== undefined,
    commands: offeredCommands(readOnly),
    /** The options without a value, to read a suggested command. */
    flags: [...new Set(flagsOf(createProgram()))],
  };
}

function flagsOf({ options, commands }: Command): readonly string[] {
  const own = options.filter((one) => one.isBoolean()).map((one) => one.long?.slice(2) ?? '');
  return [...own, ...commands.flatMap(flagsOf)];
}
