import { ListFilter } from 'lucide-react';
import { Popover } from 'radix-ui';
import { memo, useMemo } from 'react';
import { useSetting } from '../live/setting.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Field, Select, Switch } from '../ui/field.tsx';
import type { BoardSession } from './board-session.ts';
import { groupingSetting } from './board-settings.ts';
import type { BoardFilter } from './filter-sessions.ts';
import { projectId, projectName } from './folder-name.ts';
import { NEEDS } from './session-need.ts';
import { filterCount } from './use-board.ts';

interface FilterMenuProps {
  /** All sessions, from which the choices are made. */
  readonly sessions: readonly BoardSession[];
  readonly filter: BoardFilter;
  readonly setFilter: (filter: BoardFilter) => void;
}

/** A button with the filters and the grouping of a list. */
export const FilterMenu = memo(function FilterMenu(props: FilterMenuProps) {
  const count = filterCount(props.filter);
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <IconButton
          label={count === 0 ? text.board.filters : text.board.filtersActive(count)}
          className={count === 0 ? '' : 'bg-accent-soft text-accent'}
        >
          <ListFilter className="size-4" aria-hidden />
        </IconButton>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-label={text.board.filters}
          className="z-50 flex max-h-(--radix-popover-content-available-height) w-72 flex-col gap-3 overflow-y-auto rounded-xl border border-line bg-raised p-4 shadow-xl"
        >
          <Filters {...props} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
});

function Filters({ sessions, filter, setFilter }: FilterMenuProps) {
  const [grouping, setGrouping] = useSetting(groupingSetting);
  const agents = useMemo(
    () => choices(sessions.map(({ summary, agentName }) => [summary.provider, agentName])),
    [sessions],
  );
  const projects = useMemo(
    () => choices(sessions.map(({ summary }) => [projectId(summary), projectName(summary)])),
    [sessions],
  );
  const change = (part: Partial<Record<keyof BoardFilter, unknown>>): void =>
    setFilter(without({ ...filter, ...part }));
  return (
    <>
      <Choice
        label={text.board.groupBy}
        value={grouping}
        choices={[
          ['need', text.board.filterState],
          ['project', text.board.filterProject],
        ]}
        onChange={(value) => setGrouping(value === 'project' ? 'project' : 'need')}
      />
      <hr className="border-line" />
      <Choice
        label={text.board.filterState}
        value={filter.need ?? ''}
        choices={[['', text.board.any], ...NEEDS.map((need) => [need, text.board.needs[need]] as const)]}
        onChange={(need) => change({ need })}
      />
      <Choice
        label={text.board.filterAgent}
        value={filter.provider ?? ''}
        choices={[['', text.board.any], ...agents]}
        onChange={(provider) => change({ provider })}
      />
      <Choice
        label={text.board.filterProject}
        value={filter.project ?? ''}
        choices={[['', text.board.any], ...projects]}
        onChange={(project) => change({ project })}
      />
      <div className="flex items-center justify-between gap-3 text-sm">
        <span aria-hidden>{text.board.showArchived}</span>
        <Switch
          aria-label={text.board.showArchived}
          isOn={filter.showsArchived === true}
          onChange={(showsArchived) => change({ showsArchived })}
        />
      </div>
      <Button size="small" disabled={filterCount(filter) === 0} onClick={() => setFilter({})}>
        {text.board.resetFilters}
      </Button>
    </>
  );
}

function Choice({
  label,
  value,
  choices: offered,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(attributes) => (
        <Select {...attributes} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {offered.map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** Different values with their names, by name; those without a name are left out. */
function choices(pairs: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  return Array.from(new Map(pairs))
    .filter(([value, name]) => value !== '' && name !== '')
    .map(([value, name]) => [value, visibleText(name)] as const)
    .sort((a, b) => a[1].localeCompare(b[1]));
}

/** A filter without the fields that filter nothing. */
function without(fields: Partial<Record<keyof BoardFilter, unknown>>): BoardFilter {
  const { provider, project, need, showsArchived } = fields;
  const known = NEEDS.find((each) => each === need);
  return {
    ...(typeof provider === 'string' && provider !== '' ? { provider } : {}),
    ...(typeof project === 'string' && project !== '' ? { project } : {}),
    ...(known === undefined ? {} : { need: known }),
    ...(showsArchived === true ? { showsArchived } : {}),
  };
}
