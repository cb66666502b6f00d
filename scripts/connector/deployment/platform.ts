import type { Shop } from '../../../shared/config/connector-config.ts';
import type { PlatformCommands } from '../../../shared/core/platform/platform.ts';
import { COMMANDS } from '../../../shared/services/platforms.ts';
import { BadArguments } from '../terminal/exit.ts';

export type PlatformShop = Pick<Shop, 'platform'>;

export const commandsOf = ({ platform }: PlatformShop): PlatformCommands => COMMANDS[platform];

/** An app sends the events, and the commands look after its folder, subscriptions and pages. */
export const hasApp = (shop: PlatformShop): boolean => commandsOf(shop).sender === undefined;

/** For commands about an app, its subscriptions or its pages. */
export function requireApp(shop: Shop): Shop {
  if (hasApp(shop)) return shop;
  const { name } = commandsOf(shop);
  const fitting = Object.values(COMMANDS).filter(({ sender }) => sender === undefined);
  const names = fitting.map((one) => one.name).join(' and ');
  throw new BadArguments(`${shop.domain} runs on ${name}, and this command is for ${names} shops.`);
}

/** Those of the shops that have an app. */
export function requireApps(shops: readonly Shop[]): readonly Shop[] {
  const [first] = shops;
  const withApp = shops.filter(hasApp);
  return first && withApp.length === 0 ? [requireApp(first)] : withApp;
}
