"""Each format of networks with tables, as it stands in a file."""

from __future__ import annotations

import pytest

import chordlearn as cl

EXPECTED = {
    "bif": """\
// a_coin stands for "a coin"
network chordlearn {
}
variable a_coin {
  type discrete [ 2 ] { 0, 1 };
}
variable b {
  type discrete [ 2 ] { u, v };
}
probability ( a_coin ) {
  table 0.625, 0.375;
}
probability ( b | a_coin ) {
  (0) 0.9, 0.1;
  (1) 0.16666666666666666, 0.8333333333333334;
}
""",
    "xmlbif": """\
<?xml version="1.0" encoding="UTF-8"?>
<BIF VERSION="0.3">
<NETWORK>
<NAME>chordlearn</NAME>
<VARIABLE TYPE="nature">
  <NAME>a coin</NAME>
  <OUTCOME>0</OUTCOME>
  <OUTCOME>1</OUTCOME>
</VARIABLE>
<VARIABLE TYPE="nature">
  <NAME>b</NAME>
  <OUTCOME>u</OUTCOME>
  <OUTCOME>v</OUTCOME>
</VARIABLE>
<DEFINITION>
  <FOR>a coin</FOR>
  <TABLE>0.625 0.375</TABLE>
</DEFINITION>
<DEFINITION>
  <FOR>b</FOR>
  <GIVEN>a coin</GIVEN>
  <TABLE>0.9 0.1 0.16666666666666666 0.8333333333333334</TABLE>
</DEFINITION>
</NETWORK>
</BIF>
""",
    "net": """\
net
{
}
node a_coin
{
  label = "a coin";
  states = ( "0" "1" );
}
node b
{
  label = "b";
  states = ( "u" "v" );
}
potential ( a_coin )
{
  data = ( 0.625 0.375 );
}
potential ( b | a_coin )
{
  data = ( ( 0.9 0.1 ) ( 0.16666666666666666 0.8333333333333334 ) );
}
""",
    "uai": """\
MARKOV
2
2 2
1
2 1 0

4
0.5625 0.0625 0.0625 0.3125
""",
    "graphml": """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="n0"><data key="label">a coin</data></node>
    <node id="n1"><data key="label">b</data></node>
    <edge source="n0" target="n1"/>
  </graph>
</graphml>
""",
    "dot": """\
graph {
  "a coin";
  "b";
  "a coin" -- "b";
}
""",
    "csv": "a coin,b\n0,1\n1,0\n",
}


@pytest.mark.parametrize("suffix", EXPECTED)
def test_a_small_network(suffix: str) -> None:
    pair = cl.ChordalNetwork.from_cliques(["a coin", "b"], [["a coin", "b"]])
    net = cl.fit(pair, {"a coin": [0, 0, 1], "b": ["u", "u", "v"]}, ess=1.0)
    assert net.export_text(f"net.{suffix}") == EXPECTED[suffix]
