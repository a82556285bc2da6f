package strictyaml

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
)

// fleet has cars that are like the model.
type fleet struct {
	Model car   `key:"model"`
	Cars  []own `key:"cars" like:"model"`
}

type car struct {
	Preset string      `key:"preset" default:"plain" oneof:"plain|van|racer"`
	Seats  int         `key:"seats" default:"4" source:"law"`
	Share  units.Ratio `key:"share" default:"1/2" unless:"load"`
	Load   *int        `key:"load"`
	Colour []string    `key:"colours" default:"[red]"`
	Engine engine      `key:"engine"`
}

type engine struct {
	Power units.Rate `key:"power" default:"1Gbps"`
	Fuel  string     `key:"fuel" default:"diesel"`
}

type own struct {
	Names []string `key:"names" required:"true"`
	car   `key:",inline"`
}

func (c *car) AdoptPreset(name string) func(key string) string {
	switch name {
	case "van":
		load := 800
		c.Load, c.Seats = &load, 2
	case "racer":
		c.Engine.Power = 9 * units.Gbps
	default:
		return nil
	}
	return func(key string) string {
		if key == "load" && name == "van" || key == "seats" && name == "van" || key == "engine.power" && name == "racer" {
			return "brochure"
		}
		return ""
	}
}

func mustReadFleet(t *testing.T, text string, sets ...string) (fleet, *Origins) {
	t.Helper()
	var f fleet
	d := Parse("fleet.yaml", []byte(text))
	for _, s := range sets {
		d.Set(s)
	}
	origins, problems := d.Decode(&f, nil)
	if len(problems) > 0 {
		t.Fatalf("%s\nin\n%s", problems, text)
	}
	return f, origins
}

func wantOrigins(t *testing.T, origins *Origins, want map[string]string) {
	t.Helper()
	for path, from := range want {
		if got, _ := origins.Of(path); got.String() != from {
			t.Errorf("%s comes from %q, want %q", path, got, from)
		}
	}
}

// A preset gives values to some keys; the others keep their defaults, and what the user
// gives goes before both.
func TestAPresetFillsWhatIsNotGiven(t *testing.T) {
	f, origins := mustReadFleet(t, "model: {preset: racer, engine: {fuel: petrol}}\n")
	want := car{Preset: "racer", Seats: 4, Share: units.Ratio{Num: 1, Den: 2}, Colour: []string{"red"}, Engine: engine{9 * units.Gbps, "petrol"}}
	if diff := cmp.Diff(want, f.Model); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantOrigins(t, origins, map[string]string{
		"model.engine.power": "preset racer: brochure", "model.engine.fuel": "fleet.yaml:1:39",
		"model.seats": "default: law", "model.preset": "fleet.yaml:1:17",
	})
	f, origins = mustReadFleet(t, "model: {preset: racer}\n", "model.preset=van", "model.seats=3")
	if f.Model.Seats != 3 || *f.Model.Load != 800 || f.Model.Engine.Power != units.Gbps {
		t.Errorf("a van of three seats is %+v", f.Model)
	}
	wantOrigins(t, origins, map[string]string{"model.load": "preset van: brochure", "model.seats": "--set model.seats"})
}

func TestTheDefaultPresetIsThatOfItsKey(t *testing.T) {
	f, origins := mustReadFleet(t, "model: {}\n")
	if f.Model.Preset != "plain" || f.Model.Seats != 4 {
		t.Errorf("model is %+v", f.Model)
	}
	wantOrigins(t, origins, map[string]string{"model.preset": "default", "model.seats": "default: law"})
}

// A given key displaces the alternative that the preset or the model has.
func TestAGivenKeyDisplacesAnAlternativeOfThePreset(t *testing.T) {
	f, _ := mustReadFleet(t, "model: {preset: van, share: 1/4}\ncars: [{names: [a], load: 5}]\n")
	if f.Model.Load != nil || f.Model.Share != (units.Ratio{Num: 1, Den: 4}) {
		t.Errorf("load %v and share %v, want the share alone", f.Model.Load, f.Model.Share)
	}
	if *f.Cars[0].Load != 5 || f.Cars[0].Share != (units.Ratio{}) {
		t.Errorf("load %v and share %v, want the load alone", f.Cars[0].Load, f.Cars[0].Share)
	}
}

func TestAnUnknownPresetIsReportedOnce(t *testing.T) {
	d := Parse("fleet.yaml", []byte("model: {preset: vna}\n"))
	_, problems := d.Decode(new(fleet), nil)
	wantProblems(t, problems, `fleet.yaml:1:17: model.preset: "vna" is not possible; did you mean "van"?`)
}

// An entry has what the model has, then what a preset of its own has, then what it says.
func TestEntriesAreLikeTheirModel(t *testing.T) {
	f, origins := mustReadFleet(t, `model: {seats: 5, colours: [blue], engine: {power: 2Gbps}}
cars:
  - {names: [a, b], engine: {fuel: gas}}
  - {names: [c], preset: van, colours: []}
`)
	first := car{Preset: "plain", Seats: 5, Share: units.Ratio{Num: 1, Den: 2}, Colour: []string{"blue"}, Engine: engine{2 * units.Gbps, "gas"}}
	load := 800
	second := car{Preset: "van", Seats: 2, Load: &load, Engine: engine{2 * units.Gbps, "diesel"}}
	want := []own{{[]string{"a", "b"}, first}, {[]string{"c"}, second}}
	if diff := cmp.Diff(want, f.Cars, cmp.AllowUnexported(own{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f.Model.Engine.Fuel != "diesel" || len(f.Model.Colour) != 1 {
		t.Errorf("an entry changed the model to %+v", f.Model)
	}
	wantOrigins(t, origins, map[string]string{
		"cars[0].seats": "default: as model.seats", "cars[0].engine.power": "default: as model.engine.power",
		"cars[0].engine.fuel": "fleet.yaml:3:36", "cars[1].seats": "preset van: brochure", "cars[1].engine.fuel": "default: as model.engine.fuel",
	})
}

// An entry with a preset of its own has nothing of the model's preset, but what the
// model was given.
func TestAPresetOfItsOwnReplacesThatOfTheModel(t *testing.T) {
	f, origins := mustReadFleet(t, `model: {preset: van, engine: {fuel: gas}}
cars: [{names: [a], preset: racer}, {names: [b], preset: plain, seats: 3}, {names: [c], engine: {fuel: oil}}]
`)
	half := units.Ratio{Num: 1, Den: 2}
	racer := car{Preset: "racer", Seats: 4, Share: half, Colour: []string{"red"}, Engine: engine{9 * units.Gbps, "gas"}}
	plain := car{Preset: "plain", Seats: 3, Share: half, Colour: []string{"red"}, Engine: engine{units.Gbps, "gas"}}
	load := 800
	van := car{Preset: "van", Seats: 2, Load: &load, Colour: []string{"red"}, Engine: engine{units.Gbps, "oil"}}
	want := []own{{[]string{"a"}, racer}, {[]string{"b"}, plain}, {[]string{"c"}, van}}
	if diff := cmp.Diff(want, f.Cars, cmp.AllowUnexported(own{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantOrigins(t, origins, map[string]string{"cars[0].seats": "default: law", "cars[0].engine.fuel": "default: as model.engine.fuel", "cars[2].seats": "default: as model.seats"})
	text := string(Encode(&f, nil))
	if again, _ := mustReadFleet(t, text); !cmp.Equal(f, again, cmp.AllowUnexported(own{})) {
		t.Errorf("read again it differs:\n%s", text)
	}
}

// Written back, an entry says what differs from its model; read again it is the same.
func TestEntriesAreWrittenAsTheirDifference(t *testing.T) {
	f, _ := mustReadFleet(t, `model: {preset: van, colours: [blue]}
cars:
  - {names: [a], engine: {fuel: gas}}
  - {names: [b], share: 1/3}
  - {names: [c], preset: plain, seats: 2}
`)
	text := string(Encode(&f, nil))
	if !strings.Contains(text, "  - names: [a]\n    engine:\n      fuel: gas\n  - names: [b]\n    share: 1/3\n  - names: [c]\n    preset: plain\n") {
		t.Errorf("written as\n%s", text)
	}
	again, _ := mustReadFleet(t, text)
	if diff := cmp.Diff(f, again, cmp.AllowUnexported(own{})); diff != "" {
		t.Errorf("read again it differs (-first +again):\n%s\nin\n%s", diff, text)
	}
}
