CREATE TABLE "search_openings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "search_openings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"words" text NOT NULL,
	"listing_id" text NOT NULL,
	"weight" double precision NOT NULL,
	"last_day" date NOT NULL,
	CONSTRAINT "search_openings_pair" UNIQUE("words","listing_id")
);
--> statement-breakpoint
CREATE INDEX "search_openings_day" ON "search_openings" USING btree ("last_day");