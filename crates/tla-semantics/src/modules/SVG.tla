--------------------------------- MODULE SVG ---------------------------------
(* Pictures of states. An element is a record of its name, its attributes (a record of strings), its *)
(* children (a sequence of elements) and the text inside it. SVGElemToString, NodeOfRingNetwork,     *)
(* NodesOfDirectedMultiGraph and PointOnLine are native.                                             *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE Integers
LOCAL INSTANCE TLC
LOCAL INSTANCE FiniteSets

LOCAL Native == CHOOSE meaning : TRUE

SVGElem(_name, _attrs, _children, _innerText) ==
    [name |-> _name, attrs |-> _attrs, children |-> _children, innerText |-> _innerText]

(* What the shape itself says of an attribute wins over attrs. *)
LOCAL Shape(name, own, attrs, text) == SVGElem(name, own @@ attrs, <<>>, text)

Line(x1, y1, x2, y2, attrs) ==
    Shape("line",
          [x1 |-> ToString(x1), y1 |-> ToString(y1), x2 |-> ToString(x2), y2 |-> ToString(y2)],
          attrs, "")

Circle(cx, cy, r, attrs) ==
    Shape("circle", [cx |-> ToString(cx), cy |-> ToString(cy), r |-> ToString(r)], attrs, "")

LOCAL Box(x, y, width, height) ==
    [x |-> ToString(x), y |-> ToString(y), width |-> ToString(width), height |-> ToString(height)]

Rect(x, y, w, h, attrs) == Shape("rect", Box(x, y, w, h), attrs, "")

Text(x, y, text, attrs) == Shape("text", [x |-> ToString(x), y |-> ToString(y)], attrs, text)

Image(x, y, width, height, href, attrs) ==
    Shape("image", ("xlink:href" :> href) @@ Box(x, y, width, height), attrs, "")

Group(children, attrs) == SVGElem("g", attrs, children, "")

Svg(children, attrs) == SVGElem("svg", attrs, children, "")

(* A whole document that shows the given rectangle of the plane. *)
SVGDoc(children, vbX, vbY, vbW, vbH, attrs) ==
    LET viewBox == ToString(vbX) \o " " \o ToString(vbY) \o " " \o ToString(vbW) \o " " \o ToString(vbH)
        namespaces == ("xmlns" :> "http://www.w3.org/2000/svg")
                   @@ ("xmlns:xlink" :> "http://www.w3.org/1999/xlink")
    IN  Svg(<<children>>, ("viewBox" :> viewBox) @@ namespaces @@ attrs)

SVGElemToString(elem) == Native["SVGElemToString"][elem]

(* The n-th of m points spread evenly on a circle, as a record of x and y. *)
NodeOfRingNetwork(cx, cy, r, n, m) == Native["NodeOfRingNetwork"][cx, cy, r, n, m]

(* A point for each node, laid out by the algorithm that options names. *)
NodesOfDirectedMultiGraph(nodes, edges, options) ==
    Native["NodesOfDirectedMultiGraph"][nodes, edges, options]

(* The end of the first of `segment` equal segments between two points. *)
PointOnLine(from, to, segment) ==
    LET Step(a, b) == a + (b - a) \div segment
    IN  [x |-> Step(from.x, to.x), y |-> Step(from.y, to.y)]

(* Writes the picture to a file whose name ends in the number of the frame. *)
SVGSerialize(svg, frameNamePrefix, frameNumber) ==
    LET Files == INSTANCE IOUtils
        file == frameNamePrefix \o Files!zeroPadN(frameNumber, 3) \o ".svg"
        options == [format |-> "TXT",
                    charset |-> "UTF-8",
                    openOptions |-> <<"WRITE", "CREATE", "TRUNCATE_EXISTING">>]
    IN  Files!Serialize(SVGElemToString(svg), file, options)
==============================================================================
