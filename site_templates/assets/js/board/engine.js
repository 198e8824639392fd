// DataTables, which orders and hides rows and columns: half a megabyte, loaded when a reader first touches a control.

let library = null;
export const loadEngine = () => {
  library ??= import("../../datatables.js").then(({ default: DataTable }) => {
    // Who has no number stands last, whichever way the others go.
    const absentLast = (compare) => (a, b) => a === null || b === null ? (a === null) - (b === null) : compare(a, b);
    DataTable.type("nb", { order: { asc: absentLast((a, b) => a - b), desc: absentLast((a, b) => b - a) } });
    return DataTable;
  }).catch((error) => { library = null; throw error; });
  return library;
};

const bare = { topStart: null, topEnd: null, bottomStart: null, bottomEnd: null };

// A browser lays out a thousand rows in a second, which is too long to wait after each choice.
const MANY = 200;
const FIRST_FEW = 100;

// valuesOf: a column's place -> what each row is sorted by there. shows: a row's place -> whether it is shown.
export const startEngine = async (table, valuesOf, shows) => {
  const DataTable = await loadEngine();
  DataTable.ext.order.nb = (settings, column) => valuesOf(column);
  const scroller = table.parentElement;
  const rows = [...table.tBodies[0].rows];
  // Out of the page rows cost no styles while the library moves the table; the page keeps its height meanwhile.
  scroller.style.minHeight = `${scroller.offsetHeight}px`;
  table.tBodies[0].replaceChildren();
  const [focused, left] = [document.activeElement, scroller.scrollLeft];
  const made = new DataTable(table, {
    pageLength: rows.length > MANY ? FIRST_FEW : -1, info: false, autoWidth: false, layout: bare, order: [],
    ordering: { handler: false, indicators: false },
    language: { zeroRecords: "No contestant matches.", emptyTable: "No contestant matches." },
    columnDefs: [{ targets: "_all", type: "nb", orderDataType: "nb" }],
  });
  made.rows.add(rows);
  made.search.fixed("nb", (text, data, place) => shows(place));
  // The table was moved into a box of the library's, which takes focus and place away.
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
  if (left) scroller.scrollLeft = left;
  return {
    // Returns the places of all rows that match, in their order; `all` of them are put into the table, or the first few.
    draw: (column, direction, visible, all) => {
      for (const [place, is] of visible.entries()) {
        if (made.column(place).visible() !== is) made.column(place).visible(is, false);
      }
      if (all && made.page.len() !== -1) made.page.len(-1);
      made.order([[column, direction], [0, "asc"]]).draw();
      scroller.style.removeProperty("min-height");
      return made.rows({ order: "applied", search: "applied" }).indexes().toArray();
    },
  };
};
