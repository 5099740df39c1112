CREATE TABLE "search_opening_callers" (
	"pair" text NOT NULL,
	"caller" text NOT NULL,
	"month" date NOT NULL,
	CONSTRAINT "search_opening_callers_pair_caller_pk" PRIMARY KEY("pair","caller")
);
--> statement-breakpoint
CREATE INDEX "search_opening_callers_month" ON "search_opening_callers" USING btree ("month");