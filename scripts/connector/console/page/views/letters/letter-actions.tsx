import { useState } from 'preact/hooks';
import { openAction } from '../../action.ts';
import { Form, Tick } from '../../parts/form.tsx';
import { words } from '../../words.ts';
import { type Filter, optionsOf, optionsOfDrop } from './filter.ts';
import { strings } from './strings.ts';

/** Sends again or drops the chosen letters, or all that the filter fits. */
export function LetterActions({
  filter,
  chosen,
  matching,
  newest,
  onEnd,
}: {
  readonly filter: Filter;
  readonly chosen: readonly string[];
  readonly matching: number;
  /** When the newest of them was given up. */
  readonly newest: string;
  readonly onEnd: () => void;
}) {
  const texts = words(strings);
  const [refetch, setRefetch] = useState(false);
  const [force, setForce] = useState(false);
  const [because, setBecause] = useState('');
  const many = chosen.length > 0 ? chosen.length : matching;
  const replay = () => {
    const how = { ...(refetch && { refetch }), ...(force && { force }) };
    const options = { ...optionsOf(filter, chosen), ...how };
    openAction({
      title: texts.replayTitle(many),
      preview: { command: 'dead-letters replay', options },
      line: { command: 'dead-letters replay', options: { ...options, wait: true, yes: true } },
      children: <p>{texts.replayMeans}</p>,
      onEnd,
    });
  };
  const drop = () => {
    const options = { ...optionsOfDrop(filter, chosen, newest), because: because.trim() };
    openAction({
      title: texts.dropTitle(many),
      preview: { command: 'dead-letters drop', options },
      line: { command: 'dead-letters drop', options: { ...options, yes: true } },
      children: <p>{texts.dropMeans}</p>,
      onEnd,
    });
  };
  return (
    <div class="card letters-actions">
      <p class="buttons">
        <button type="button" onClick={replay}>
          {texts.replay(many)}
        </button>
        <Tick label={texts.refetch} isSet={refetch} onChange={setRefetch} />
        <Tick label={texts.force} isSet={force} onChange={setForce} />
      </p>
      <Form class="buttons" onSubmit={drop}>
        <label>
          {texts.because}{' '}
          <input
            type="text"
            required
            maxLength={200}
            value={because}
            onInput={({ currentTarget }) => setBecause(currentTarget.value)}
          />
        </label>
        <button type="submit" class="quiet" disabled={because.trim() === ''}>
          {texts.drop(many)}
        </button>
      </Form>
    </div>
  );
}
