export const Options = ({ of }: { of: readonly (readonly [string | number, string])[] }) =>
  of.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));
