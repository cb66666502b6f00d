import '@shopify/ui-extensions/preact';
import { signal } from '@preact/signals';
import type { Api } from '@shopify/ui-extensions/customer-account.order-status.block.render';
import { render } from 'preact';
import type { OrderEarning, Redemption } from '../../../program/answers.ts';
import { type Answer, createAsk } from '../../../program/ask.ts';
import { readShop, type Shop, useLink } from '../../../program/sentences.ts';
import { orderStrings } from '../../../program/strings/order.ts';
import { createWords } from '../../../program/words.ts';
import { sayEarning } from './say-earning.ts';

declare const shopify: Api;

const ask = createAsk(`${STOREFRONT_ADDRESS}/account`, () => shopify.sessionToken.get());

interface Earning {
  readonly answer: Answer<OrderEarning>;
  /** Its currency is the program's: the customer may have paid in another. */
  readonly shop: Shop;
  readonly redemptions: readonly Redemption[];
}

/** Undefined until it is answered. */
const earning = signal<Earning | undefined>(undefined);

/** An order reaches the loyalty program some seconds after it was placed. */
const LOOK_AGAIN_SECONDS = [3, 5, 10, 20, 30, 60];

export default async (): Promise<void> => {
  render(<Block />, document.body);
  // Undefined until Shopify has processed the order, which may be after this page is shown.
  let stop: (() => void) | undefined;
  stop = shopify.order.subscribe((order) => {
    if (!order || shopify.authenticationState.value === 'pre_authenticated') return;
    stop?.();
    void load(order.id);
  });
};

async function load(orderId: string): Promise<void> {
  const id = orderId.replace(/^.*\//, '');
  const reading = Promise.all([
    readShop(shopify),
    ask<{ readonly redemptions: readonly Redemption[] }>('redemptions'),
  ]);
  for (const seconds of [...LOOK_AGAIN_SECONDS, undefined]) {
    const answer = await ask<OrderEarning>(`order?id=${id}`);
    // All at once: nothing moves while a customer reads.
    const [shop, codes] = await reading;
    const redemptions = codes.kind === 'ok' ? codes.value.redemptions : [];
    earning.value = { answer, shop, redemptions };
    const isOpen = answer.kind === 'ok' && answer.value.state === 'waiting';
    if (!isOpen || seconds === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

function Block() {
  const { language, currency } = shopify.localization;
  const words = createWords(language.value.isoCode, earning.value?.shop.currency, {
    pageCurrency: currency.value.isoCode,
  });
  const order = orderStrings[words.language];
  return (
    <s-section heading={order.heading}>
      <s-stack gap="small" alignItems="start">
        {shopify.authenticationState.value === 'pre_authenticated' ? (
          <>
            <s-text>{order.logInTo}</s-text>
            <s-button onClick={() => void shopify.requireLogin()}>
              {words.strings.balance.logIn}
            </s-button>
          </>
        ) : (
          <>
            <s-stack accessibilityRole="status" minBlockSize="72px">
              <Sentence words={words} />
            </s-stack>
            <s-link href="extension://loyalty-account/">{order.seeAll}</s-link>
            <s-stack minBlockSize="28px">
              <Use words={words} />
            </s-stack>
          </>
        )}
      </s-stack>
    </s-section>
  );
}

function Sentence({ words }: { readonly words: ReturnType<typeof createWords> }) {
  const asked = earning.value?.answer;
  if (!asked) return <s-text color="subdued">{words.strings.loading}</s-text>;
  if (asked.kind === 'failed') return <s-text tone="critical">{words.failure(asked)}</s-text>;
  const { main, note, lines } = sayEarning(asked.value, words);
  return (
    <s-stack>
      <s-text tone={asked.value.state === 'earns' ? 'success' : 'auto'} type="strong">
        {main}
      </s-text>
      {note !== '' && <s-text color="subdued">{note}</s-text>}
      {lines.map((line) => (
        <s-text color="subdued" key={line}>
          {line}
        </s-text>
      ))}
    </s-stack>
  );
}

/** The newest of the codes that the customer can use, as a link that applies it in the store. */
function Use({ words }: { readonly words: ReturnType<typeof createWords> }) {
  const { redemptions = [], shop } = earning.value ?? {};
  const [usable] = redemptions.flatMap((one) => {
    const link = shop && useLink(one, shop);
    return link === undefined ? [] : [{ ...one, link }];
  });
  if (!usable) return null;
  const { link, title } = usable;
  return <s-link href={link}>{`${words.strings.codes.use}: ${title}`}</s-link>;
}
