import type { RedemptionDocument } from '../../../../redemptions/redemptions.ts';
import { inShop, isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Ago } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { hrefOf } from '../../router.ts';
import type { Line } from '../../run.ts';
import { numberText } from '../../words.ts';
import { strings } from './strings.ts';

interface RedemptionsProps {
  readonly redemptions: readonly RedemptionDocument[];
  readonly shop: string;
  readonly onChanged: () => void;
  /** In a list of several customers. */
  readonly withCustomer?: boolean;
}

/** Redeemed rewards with their state, and what a person can do about one. */
export function Redemptions({ redemptions, shop, onChanged, withCustomer }: RedemptionsProps) {
  if (redemptions.length === 0) return <p class="soft">No redemptions.</p>;
  return (
    <Table
      {...{ class: 'redemptions', label: 'Redemptions', rows: redemptions }}
      keyOf={({ customer, id }) => `${customer} ${id}`}
      columns={[
        withCustomer === true && {
          title: 'Customer',
          cell: ({ customer }) => (
            <a href={hrefOf('customers', [customer], inShop(shop))}>{customer}</a>
          ),
        },
        { title: 'Reward', kind: 'foreign', cell: ({ reward }) => reward.title },
        {
          ...{ title: strings.fields.points, kind: 'number' },
          cell: ({ reward }) => numberText(reward.points),
        },
        { title: 'State', cell: (one) => <State {...{ one, shop, onChanged }} /> },
        { title: 'Since', cell: ({ since }) => <Ago at={since} /> },
        { title: 'Code', cell: ({ code }) => code ?? '–' },
      ]}
    />
  );
}

function State({
  one,
  shop,
  onChanged,
}: Pick<RedemptionsProps, 'shop' | 'onChanged'> & { readonly one: RedemptionDocument }) {
  return (
    <>
      <span class={`badge ${one.waitsForPerson ? 'bad' : (TONES[one.state] ?? 'waits')}`}>
        {strings.states[one.state] ?? one.state}
      </span>
      {one.detail !== '' && <p>{one.detail}</p>}
      {one.waitsForPerson && (
        <p>
          <a href={hrefOf('letters', [], { kind: 'redemption', id: one.id })}>
            Its dead letters, to try again
          </a>
        </p>
      )}
      {isOffered('redemptions close') && one.canCloseAs.length > 0 && (
        <p class="buttons">
          {one.canCloseAs.map((as) => (
            <button
              {...{ type: 'button', class: 'quiet' }}
              key={as}
              onClick={() => close(one, as, shop, onChanged)}
            >
              {strings.closeAs[as]}
            </button>
          ))}
        </p>
      )}
    </>
  );
}

const TONES: Readonly<Record<string, string>> = {
  ready: 'well',
  used: 'well',
  refused: '',
  cancelled: '',
};

function close(
  { customer, id }: RedemptionDocument,
  as: 'refused' | 'cancelled',
  shop: string,
  onEnd: () => void,
): void {
  const line = (options: NonNullable<Line['options']>): Line => ({
    ...{ command: 'redemptions close', operands: [customer, id] },
    options: { ...inShop(shop), [as]: true, ...options },
  });
  openAction({
    title: strings.closeAs[as],
    children:
      'Look at this customer in the panel of the loyalty service first: the connector does not check what you say here.',
    preview: line({}),
    line: line({ yes: true }),
    onEnd,
  });
}
