# ruff: noqa: E501 -- tables of expressions
"""Random programs over structured arrays: fields read and written, views of records and of fields, scalars, sorting, conversions."""

from __future__ import annotations

import random

_DTYPES = (
    "[('a', 'f8'), ('b', 'i4')]", "[('a', 'f4'), ('b', 'f4')]", "[('a', 'i8'), ('b', 'f8', 2)]", "[('a', 'f8'), ('p', [('b', 'i2'), ('c', 'f8')])]", "[('a', '?'), ('b', 'S3'), ('c', 'f8')]", "[('a', 'f8', (2, 2)), ('b', 'u1')]",
    "{'names': ['a', 'b'], 'formats': ['i2', 'f8'], 'offsets': [8, 0], 'itemsize': 16}", "np.dtype([('a', 'i1'), ('b', 'f8')], align=True)", "[('a', '>f8'), ('b', '<i4')]", "[('a', 'c16'), ('b', 'U2')]", "[('a', 'M8[D]'), ('b', 'i8')]", "[('a', 'f8')]", "'f8,i4'", "[('a', 'f2'), ('b', 'f8')]",
)  # fmt: skip
_ARRAYS = ("r", "r", "r", "s", "r[1:]", "r[::-1]", "r[::2]", "r.copy()", "np.zeros(3, r.dtype)", "np.zeros_like(r)", "np.concatenate([r, r])", "r.reshape(-1, 1)", "np.sort(r)", "r[r['{f}'] == r['{f}']]", "r[[0, -1]]", "np.repeat(r, 2)", "np.empty((0,), r.dtype)", "np.array(r)", "r.view(np.recarray)", "np.stack([r, r])", "r.T", "np.roll(r, 1)", "r[:1]", "r.astype(r.dtype)", "np.full(2, r[0])", "np.where(k > 1, r, r)", "np.ones(2, r.dtype)")  # fmt: skip
_VALUES = (
    "{r}['{f}']", "{r}['{f}'] * 2", "{r}['{f}'].sum()", "{r}[0]", "{r}[-1]['{f}']", "{r}['{f}'][0]", "{r}[['{f}', '{g}']]", "{r}[['{f}']].dtype", "{r}[0].item()", "{r}.tolist()", "{r}[0].tolist()", "tuple({r}[0])", "len({r}[0])", "{r}[0][0]", "{r}[0][-1]", "{r}[0]['{f}']", "{r}.dtype.names", "{r}.dtype.fields['{f}']", "{r}.dtype['{f}']", "{r}.dtype.itemsize", "{r}.dtype.descr", "{r}.dtype.isalignedstruct", "{r}.dtype.hasobject", "{r}['{f}'].dtype", "{r}['{f}'].strides", "{r}['{f}'].flags.c_contiguous", "{r}['{f}'].base is {r}", "{r}.shape", "{r}.nbytes", "{r}.T['{f}']", "{r}.size",
    "{r} == {r}", "{r} == {r}[0]", "{r}[0] == {r}[-1]", "{r}[0] == ({r}[0]['{f}'], 1)", "{r} != {r}", "{r}[0] != {r}[0]", "np.array_equal({r}, {r})", "np.sort({r}, order='{f}')['{f}']", "np.argsort({r}, order=['{f}'])", "np.argsort({r}['{f}'], kind='stable')", "np.unique({r}['{f}'])", "np.unique({r}, return_counts=True)", "np.lexsort(({r}['{f}'], {r}['{g}']))", "np.searchsorted(np.sort({r}['{f}']), {r}['{f}'])", "[row['{f}'] for row in {r}]", "[row.item() for row in {r}]", "[tuple(row) for row in {r}]", "[v for row in {r} for v in row.item()]", "sum(row['{f}'] for row in {r})", "max({r}['{f}'])", "{r}[{r}['{f}'] > 0]", "{r}['{f}'][{r}['{g}'] != {r}['{g}'][0]]", "np.mean({r}['{f}'])", "{r}['{f}'].max() - {r}['{f}'].min()", "{r}.view('u1')", "{r}['{f}'].astype('f4')", "{r}.view(np.recarray).{f}", "{r}[0].dtype.names", "type({r}[0]).__name__", "isinstance({r}[0], np.void)", "{r}.ravel()['{f}']", "{r}.astype([('{f}', 'f8')])", "{r}.astype([(n, 'f4') for n in {r}.dtype.names])", "rfn.structured_to_unstructured({r}[['{f}']])", "rfn.structured_to_unstructured({r})", "rfn.unstructured_to_structured(np.ones((2, 2)))", "rfn.drop_fields({r}, '{f}')", "rfn.append_fields({r}, 'z', {r}['{f}'], usemask=False)", "rfn.rename_fields({r}, {{'{f}': 'q'}}).dtype.names", "rfn.repack_fields({r}).dtype", "rfn.get_fieldstructure({r}.dtype)", "np.array([(1, 2), (3, 4)], dtype=[('x', 'f8'), ('y', 'i4')])['x'] + {r}['{f}'][0]", "np.array([tuple(row) for row in {r}], {r}.dtype)", "np.array(list(zip(range(2), {r}['{f}'])), dtype='i4,f8')", "np.rec.fromarrays([{r}['{f}'], {r}['{g}']], names='q,w').q", "np.core.records.fromarrays" if False else "np.rec.array({r}).{f}", "f'{{{r}[0][\"{f}\"]}}'", "str({r}.dtype)", "np.dtype([('q', {r}.dtype['{f}']), ('w', 'f8')])", "{r}.__array_interface__['descr']", "np.isin({r}['{f}'], {r}['{f}'][:1])", "np.nonzero({r}['{f}'])", "np.add.reduce({r}['{f}'])", "np.take({r}, [0])['{f}']", "{r}.item(0)", "{r}.flat[0]", "np.append({r}, {r}[:1])['{f}']", "np.delete({r}, 0)['{f}']", "np.split({r}, [1])[0]['{f}']", "np.lib.recfunctions.merge_arrays(({r}, {r}['{f}']), flatten=True).dtype.names", "np.squeeze({r})", "np.result_type({r}, {r})", "np.can_cast({r}.dtype, {r}.dtype)", "np.copyto({r}.copy(), {r})", "dict(zip({r}.dtype.names, {r}[0]))", "{{n: {r}[n] for n in {r}.dtype.names}}", "np.atleast_2d({r}).shape", "{r}['p']['c'] + 1", "{r}['b'][..., 0]", "{r}['p'][0]['b']",
)  # fmt: skip
_WRITES = (
    "r['{f}'] = 1", "r['{f}'] += 1", "r['{f}'][0] = r['{f}'][-1]", "r['{f}'][r['{f}'] == r['{f}'][0]] = 0", "r[0] = r[-1]", "r[0] = tuple(r[-1])", "r[1:] = r[:-1]", "r[:] = r[::-1]", "r[::2]['{f}'] = 3", "w = r[0]; w['{f}'] = 2", "w = r[0].copy(); w['{f}'] = 2", "w = r['{f}']; w[...] = 4", "w = r[['{f}']]; w['{f}'] = 5", "r[['{f}', '{g}']] = s[['{f}', '{g}']]", "r[...] = 0", "r[0] = 0", "r[r['{f}'] > 0] = r[0]", "r = np.sort(r, order='{f}')", "r.sort(order='{f}')", "r = r[np.argsort(r['{f}'])]", "s['{f}'] = r['{f}']", "s = s.copy(); s['{f}'] *= 2", "for row in r: row['{f}'] = row['{g}']", "for i in range(len(r)): r['{f}'][i] = i", "for i in range(len(r)): r[i]['{f}'] = i", "w = r.view(np.recarray); w.{f} = 7", "r.fill(r[0])", "r['{f}'].fill(2)", "np.copyto(r, s)", "r['{f}', 0] = 1", "r[0]['{f}'] = s[0]['{f}']", "r['p']['c'] = 2", "r['b'][..., 0] = 9", "r.put([0], r[-1])", "r['{f}'], r['{g}'] = r['{g}'].copy(), r['{f}'].copy()", "t = r[0]; r[0] = r[-1]; r[-1] = t", "r = np.where(r['{f}'] > 0, r, s)", "if r['{f}'][0] == s['{f}'][0]: r['{f}'] = 8", "r.setfield(1, 'i1')", "r['{f}'].sort()", "r.dtype.names", "r.resize(2)", "r[-1] = (1,) * len(r.dtype.names)", "r[0] = [1] * len(r.dtype.names)", "r['nope'] = 1", "r[[0, 0]] = r[-1]", "np.put(r, 0, r[-1])", "r.flat[0] = r[-1]",
)  # fmt: skip


class Writer:
    """Writes one program of two arrays of records, ``f(r, s)``, from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dtype = self.random.choice(_DTYPES)

    def _names(self, text: str) -> str:
        names = ["f0", "f1"] if self.dtype.startswith("'") else [name for name in "abcp" if f"'{name}'" in self.dtype]
        choose = self.random.choice
        return text.replace("{f}", choose(names)).replace("{g}", choose(names)).replace("{{", "{").replace("}}", "}")

    def _step(self) -> list[str]:
        choose, chance = self.random.choice, self.random.random
        if chance() < 0.4:
            text = self._names(choose(_WRITES))
            lines = [f"try: {text}"] if not text.startswith(("for", "if")) else ["try:", f"    {text}"]
        else:
            lines = [f"try: log.append({self._names(choose(_VALUES).replace('{r}', choose(_ARRAYS)))})"]
        lines.append("except Exception as error: log.append((type(error).__name__, str(error)))")
        if chance() < 0.1:
            return [f"if {choose(('k > 1', 'len(r) > 2'))}:", *["    " + line for line in lines]]
        return lines

    def program(self) -> str:
        body = [f"log, k = [], {self.random.choice(('1', '2', 'len(r)'))}"]
        for _ in range(self.random.randint(2, 6)):
            body += self._step()
        return "\n".join(["def f(r, s):", *["    " + line for line in [*body, "return log, r, s"]]])
